// Reads the files that declare triggers from the disk: those of triggers.d, and the drover.toml of
// each project. Only files that this user (or root) owns are read, and that others cannot change or
// replace (base/ownership.h); so are the env files that they name.
//
// Blocks, perhaps forever on a dead network file system: run it on a worker. Never fails: every
// trouble is a Problem.
#pragma once

#include <string>
#include <vector>

#include "base/home.h"
#include "triggers/declared/declaration.h"

namespace drover::triggers {

// A file as it is now. If it has problems, it counts as broken: its triggers are those that it
// declared before.
struct DeclaredFile {
  DeclaringFile file;
  std::vector<Declaration> triggers = {};  // With the variables of their env files.
  std::vector<Problem> problems = {};
};

std::string declaring_directory(const Home& home);
// The drover.toml of the project in `root`.
DeclaringFile file_of_project(const std::string& root);
// As `drover trigger validate` reads it: a drover.toml is the one of a project.
DeclaringFile file_at(const std::string& path);

// A file that does not exist declares nothing.
DeclaredFile load_declared(const DeclaringFile& file);

// The files of triggers.d, in order of their names, and those of these projects. A directory that
// cannot be read, or a missing root of a project, is a broken file with the path of the directory.
std::vector<DeclaredFile> load_all_declared(const std::string& directory,
                                            const std::vector<std::string>& roots);

}  // namespace drover::triggers
