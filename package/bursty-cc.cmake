# bursty_cc(TARGET [OPTIONS...]) compiles and links the C files of a target by `bursty cc OPTIONS`.
# bursty_cover(TARGET [FORM]) counts what runs, in C and C++: --cover, or --cover=FORM.
# bursty_TOOL names the program.

function(bursty_cc target)
  if(CMAKE_VERSION VERSION_LESS 3.21)
    message(FATAL_ERROR "bursty_cc: CMake 3.21 is wanted, for CMAKE_C_LINKER_LAUNCHER")
  endif()
  if(NOT TARGET ${target})
    message(FATAL_ERROR "bursty_cc: there is no target ${target}")
  endif()
  set_target_properties(${target} PROPERTIES
    C_COMPILER_LAUNCHER "${bursty_TOOL};cc;${ARGN};--"
    C_LINKER_LAUNCHER "${bursty_TOOL};cc;${ARGN};--"
    CXX_LINKER_LAUNCHER "${bursty_TOOL};cc;${ARGN};--")
  if(TARGET bursty_build)
    add_dependencies(${target} bursty_build)
  endif()
endfunction()

function(bursty_cover target)
  if(ARGC GREATER 1)
    set(form --cover=${ARGV1})
  else()
    set(form --cover)
  endif()
  bursty_cc(${target} ${form})
  set_target_properties(${target} PROPERTIES
    CXX_COMPILER_LAUNCHER "${bursty_TOOL};cc;${form};--")
endfunction()
