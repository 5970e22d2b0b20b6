# One directory is one namespace is one library. `drover_library(run LINKS drover_base)` takes every
# .cc file of the directory except those of tests; `drover_tests(run …)` takes those: tests
# (…_test.cc), fixtures (…_fixture.cc) and fakes (fake_….cc).

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

# Precompiled headers (`drover_reads`): parsing them was a third of the compiler's work. The sources
# still include them. They contain only system headers, behind an empty system header, at a path
# relative to the build directory. So they do not depend on this checkout, and ccache shares them, and
# the objects compiled with them, between checkouts.
find_file(DROVER_QUIET_HEADER stdc-predef.h REQUIRED)
set_source_files_properties(${DROVER_QUIET_HEADER} PROPERTIES LANGUAGE CXX)
function(drover_headers name)
  cmake_parse_arguments(ARG "" "" "OPTIONS;LINKS;HEADERS" ${ARGN})
  add_library(drover_${name}_headers OBJECT ${DROVER_QUIET_HEADER})
  target_link_libraries(drover_${name}_headers PRIVATE drover_options ${ARG_LINKS})
  target_compile_options(drover_${name}_headers PRIVATE ${ARG_OPTIONS} -x c++-header
    "SHELL:-Xclang -fno-pch-timestamp")
  foreach(header ${ARG_HEADERS})
    target_compile_options(drover_${name}_headers PRIVATE "SHELL:-include ${header}")
  endforeach()
endfunction()
set(json boost/json/parse.hpp boost/json/serialize.hpp)
drover_headers(json LINKS Boost::json HEADERS ${json})
drover_headers(asio LINKS Boost::json HEADERS ${json} boost/asio/awaitable.hpp
  boost/asio/co_spawn.hpp boost/asio/redirect_error.hpp boost/asio/steady_timer.hpp
  boost/asio/use_awaitable.hpp)
drover_headers(test LINKS Boost::json GTest::gtest OPTIONS -O0 HEADERS ${json} gtest/gtest.h)

function(drover_reads target headers)
  set(file CMakeFiles/drover_${headers}_headers.dir${DROVER_QUIET_HEADER}.o)
  target_compile_options(${target} PRIVATE "SHELL:-include-pch ${file}")
  # Deferred to the end of the directory: a target may get more sources after this.
  cmake_language(EVAL CODE
    "cmake_language(DEFER CALL drover_read_before [[${target}]] [[${CMAKE_BINARY_DIR}/${file}]])")
endfunction()
function(drover_read_before target file)
  get_target_property(sources ${target} SOURCES)
  set_source_files_properties(${sources} PROPERTIES OBJECT_DEPENDS ${file})
endfunction()

# `ninja core_tests` builds the suites with that label, for the sanitizers. The suites of `alone` have
# one thread, so the thread sanitizer has nothing to find in them.
foreach(label core parts alone outside)
  add_custom_target(${label}_tests)
endforeach()

set(drover_of_tests "(_test|_fixture|/fake_[a-z_]+)\\.cc$")

function(drover_library name)
  cmake_parse_arguments(ARG "" "READS" "SOURCES;LINKS" ${ARGN})
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
  if(ARG_READS)
    drover_reads(drover_${name} ${ARG_READS})
  endif()
endfunction()

# All *_test.cc files of the directory become one program, so that a library is linked once. A long
# suite is split into SHARDS that run in parallel, to use all cores.
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
  # Without optimization: it took half the compiler's time, and tests mostly wait for programs.
  target_compile_options(${name}_test PRIVATE -O0)
  drover_reads(${name}_test test)
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

# Fails the build if a program is linked with one of these libraries, directly or indirectly.
function(drover_links_none_of target)
  set(seen "")
  set(next ${target})
  while(next)
    list(POP_FRONT next one)
    if(one IN_LIST seen OR NOT TARGET ${one})
      continue()
    endif()
    list(APPEND seen ${one})
    get_target_property(links ${one} LINK_LIBRARIES)
    if(links)
      list(TRANSFORM links REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1")
      list(APPEND next ${links})
    endif()
  endwhile()
  foreach(name ${ARGN})
    if(NOT TARGET drover_${name})
      message(FATAL_ERROR "there is no library drover_${name}")
    elseif(drover_${name} IN_LIST seen)
      message(FATAL_ERROR "${target} must not be linked with drover_${name}.")
    endif()
  endforeach()
endfunction()

# Links a program statically, because it must start within half a millisecond.
function(drover_static_program target)
  if(NOT DROVER_SANITIZE)
    target_link_options(${target} PRIVATE -static)
  endif()
endfunction()
