// Boost.Asio, compiled once.
#include <boost/asio/impl/src.hpp>
