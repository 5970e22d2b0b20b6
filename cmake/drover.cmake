# One folder is one namespace is one library. `drover_library(run LINKS drover_base)` takes every
# .cc of the folder that is not a test's; `drover_tests(run …)` takes those that are: tests
# (…_test.cc), and what they stand on (…_fixture.cc, fake_….cc).

add_library(drover_options INTERFACE)
target_include_directories(drover_options INTERFACE ${CMAKE_SOURCE_DIR}/src)
target_compile_options(drover_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Wold-style-cast
  -Wimplicit-fallthrough -Werror -fno-omit-frame-pointer)
target_compile_definitions(drover_options INTERFACE
  BOOST_ASIO_SEPARATE_COMPILATION BOOST_ASIO_NO_DEPRECATED BOOST_BEAST_SEPARATE_COMPILATION
  DROVER_VERSION="${PROJECT_VERSION}")
if(DROVER_SANITIZE)
  target_compile_options(drover_options INTERFACE -fsanitize=${DROVER_SANITIZE}
    -fno-sanitize-recover=all)
  target_link_options(drover_options INTERFACE -fsanitize=${DROVER_SANITIZE})
endif()
if(DROVER_SANITIZE MATCHES address)
  target_compile_options(drover_options INTERFACE -fsanitize=fuzzer-no-link)  # tests/fuzz
endif()

# Header-only libraries whose bodies are compiled once, here.
add_library(drover_asio STATIC cmake/libraries/asio.cc)
target_link_libraries(drover_asio PUBLIC drover_options)
add_library(drover_ssl STATIC cmake/libraries/ssl.cc)
target_link_libraries(drover_ssl PUBLIC drover_asio OpenSSL::SSL)
add_library(drover_beast STATIC cmake/libraries/beast.cc)
target_link_libraries(drover_beast PUBLIC drover_asio)
add_library(drover_fmt STATIC cmake/libraries/fmt.cc)
add_library(drover_toml STATIC cmake/libraries/toml.cc)
target_link_libraries(drover_toml PUBLIC drover_options)
target_compile_definitions(drover_toml PUBLIC TOML_HEADER_ONLY=0 TOML_ENABLE_FORMATTERS=0)
set_target_properties(drover_asio drover_ssl drover_beast drover_fmt drover_toml PROPERTIES COMPILE_OPTIONS -w)

# What nearly every test includes is read by the compiler once, a third of its work. A header of the
# system's, and a way that begins in the build folder: nothing in it tells of this checkout, so that
# ccache knows it, and the tests made with it, in all of them.
find_file(DROVER_GTEST gtest/gtest.h REQUIRED)
add_library(drover_test_headers OBJECT ${DROVER_GTEST})
set_source_files_properties(${DROVER_GTEST} PROPERTIES LANGUAGE CXX)
target_link_libraries(drover_test_headers PRIVATE drover_options GTest::gtest Boost::json)
target_compile_options(drover_test_headers PRIVATE -O0 -x c++-header "SHELL:-Xclang -fno-pch-timestamp"
  "SHELL:-include boost/json/parse.hpp" "SHELL:-include boost/json/serialize.hpp")
set(drover_test_headers CMakeFiles/drover_test_headers.dir${DROVER_GTEST}.o)

# `ninja core_tests` builds what the suites with that label need: the sanitizers build no more. Those
# of `alone` have one thread, and nothing to show to the thread sanitizer.
foreach(label core parts alone outside)
  add_custom_target(${label}_tests)
endforeach()

set(drover_of_tests "(_test|_fixture|/fake_[a-z_]+)\\.cc$")

function(drover_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  foreach(link ${ARG_LINKS})
    if(link MATCHES "^drover_" AND NOT TARGET ${link})
      message(FATAL_ERROR "drover_${name} cannot use ${link}: arrows point down (CMakeLists.txt).")
    endif()
  endforeach()
  set_property(GLOBAL APPEND PROPERTY DROVER_LIBRARIES ${name})
  if(NOT ARG_SOURCES)
    file(GLOB ARG_SOURCES CONFIGURE_DEPENDS *.cc)
    list(FILTER ARG_SOURCES EXCLUDE REGEX "${drover_of_tests}")
  endif()
  add_library(drover_${name} STATIC ${ARG_SOURCES})
  target_link_libraries(drover_${name} PUBLIC drover_options ${ARG_LINKS})
endfunction()

# Every *_test.cc of the folder becomes one program, so that a library links once. A long suite runs
# as several that share its tests out (SHARDS): one of them alone would keep one core waiting.
function(drover_tests name)
  cmake_parse_arguments(ARG "" "SHARDS" "SOURCES;LINKS;LABEL" ${ARGN})
  if(NOT ARG_SOURCES)
    file(GLOB ARG_SOURCES CONFIGURE_DEPENDS *_test.cc *_fixture.cc fake_*.cc)
  endif()
  if(NOT ARG_SOURCES)
    return()
  endif()
  add_executable(${name}_test ${ARG_SOURCES})
  target_link_libraries(${name}_test PRIVATE drover_options ${ARG_LINKS} rapidcheck
    GTest::gtest GTest::gtest_main)
  # Half the compiler's time went into making tests fast that wait for programs, which are.
  target_compile_options(${name}_test PRIVATE -O0 "SHELL:-include-pch ${drover_test_headers}")
  set_source_files_properties(${ARG_SOURCES} PROPERTIES
    OBJECT_DEPENDS ${CMAKE_BINARY_DIR}/${drover_test_headers})
  if(NOT ARG_SHARDS)
    set(ARG_SHARDS 1)
  endif()
  foreach(shard RANGE 1 ${ARG_SHARDS})
    set(suite ${name})
    if(ARG_SHARDS GREATER 1)
      set(suite ${name}_${shard})
    endif()
    math(EXPR index "${shard} - 1")
    add_test(NAME ${suite} COMMAND ${name}_test)
    set_tests_properties(${suite} PROPERTIES LABELS "${ARG_LABEL}" TIMEOUT 600
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${ARG_SHARDS};GTEST_SHARD_INDEX=${index}")
  endforeach()
  add_dependencies(${ARG_LABEL}_tests ${name}_test)
endfunction()

# A program that must start in half a millisecond carries its libraries with it.
function(drover_static_program target)
  if(NOT DROVER_SANITIZE)
    target_link_options(${target} PRIVATE -static)
  endif()
endfunction()
