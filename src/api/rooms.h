// Rooms stores the objects of the daemon's rooms by type. A room's handlers find theirs here, so
// Services knows no room. Filled when the daemon is assembled, before the server listens.
#pragma once

#include <typeindex>
#include <unordered_map>

namespace drover::api {

class Rooms {
 public:
  // `object` must outlive the server.
  template <class T>
  void add(T& object) {
    objects_[typeid(T)] = &object;
  }
  // Null if it was not added.
  template <class T>
  T* find() const {
    const auto found = objects_.find(typeid(T));
    return found == objects_.end() ? nullptr : static_cast<T*>(found->second);
  }
  // Throws if it was not added: a route without its room is a bug.
  template <class T>
  T& get() const {
    return *static_cast<T*>(objects_.at(typeid(T)));
  }

 private:
  std::unordered_map<std::type_index, void*> objects_;
};

}  // namespace drover::api
