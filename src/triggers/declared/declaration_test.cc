#include "triggers/declared/declaration.h"

#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>

#include "triggers/declared/limits.h"

namespace drover::triggers {
namespace {

const DeclaringFile kOwn{.path = "/c/triggers.d/a.toml"};
const DeclaringFile kProject{.path = "/p/drover.toml", .root = "/p"};

std::string problems_of(const DeclaringFile& file, std::string_view toml) {
  std::string out;
  for (const Problem& one : read_declarations(file, toml).problems) {
    out += one.text().substr(file.path.size() + 1) + "\n";
  }
  return out;
}

Declaration only(const DeclaringFile& file, const std::string& lines) {
  const auto read = read_declarations(file, "[[trigger]]\n" + lines);
  for (const Problem& one : read.problems) ADD_FAILURE() << one.text();
  return read.triggers.empty() ? Declaration{} : read.triggers.front();
}

// A5: a declaration has the fields of the API, for every source and every part of the run.
TEST(Declaration, HasTheFieldsOfTheApi) {
  struct Case {
    std::string toml, json;
  };
  for (const auto& [toml, json] : std::vector<Case>{
           {"cron = '0 3 * * *'\ntz = 'Europe/Berlin'\nmissed = 'all'\nmissed_window = '2d'\n"
            "jitter = '5m'\noverlap = 'queue'\n",
            R"({"name":"n","source":{"type":"cron","cron":"0 3 * * *","tz":"Europe/Berlin"},)"
            R"("jitter":"5m","missed":"all","missed_window":"2d","overlap":"queue",)"
            R"("run":{"command":["a"],"cwd":"/","name":"n"}})"},
           {"every = '10m'\n", R"({"name":"n","source":{"type":"every","every":"10m"},)"
                               R"("run":{"command":["a"],"cwd":"/","name":"n"}})"},
           {"at = 2030-12-24T18:00:00+01:00\n",
            R"({"name":"n","source":{"type":"once","at":"2030-12-24T17:00:00.000Z"},)"
            R"("run":{"command":["a"],"cwd":"/","name":"n"}})"},
           {"files = '**/*.c'\nroot = '/src'\non = ['created']\nignore = ['*.o']\n"
            "gitignore = false\nsettle = '1s'\n",
            R"({"name":"n","source":{"type":"file","root":"/src","globs":["**/*.c"],)"
            R"("on":["created"],"ignore":["*.o"],"gitignore":false,"settle":"1s"},)"
            R"("run":{"command":["a"],"cwd":"/","name":"n"}})"},
           {"webhook = 'deploy'\nsecret = 'file:/s'\nfilters = ['payload.a eq 1']\ndedup = '1h'\n",
            R"({"name":"n","source":{"type":"webhook","path":"deploy","secret":"file:/s"},)"
            R"("filters":[{"field":"payload.a","op":"eq","value":1}],"dedup":"1h",)"
            R"("run":{"command":["a"],"cwd":"/","name":"n"}})"},
           {"feed = 'https://x.example/f'\ninterval = '5m'\nallow_private = true\n",
            R"({"name":"n","source":{"type":"feed","url":"https://x.example/f","interval":"5m",)"
            R"("allow_private":true},"run":{"command":["a"],"cwd":"/","name":"n"}})"},
           {"page = 'https://x.example/'\nselector = 'p'\n",
            R"({"name":"n","source":{"type":"page","url":"https://x.example/","selector":"p"},)"
            R"("run":{"command":["a"],"cwd":"/","name":"n"}})"},
           {"on = 'deploy.*'\ncwd = '/w'\nlane = 'l'\nlabels = { a = 'b' }\ntimeout = '1h'\n"
            "priority = 3\nretry = 2\nlimits = { memory = '4M', cpus = 1.5 }\n",
            R"({"name":"n","source":{"type":"event","on":"deploy.*"},)"
            R"("run":{"command":["a"],"cwd":"/w","name":"n","lane":"l","labels":{"a":"b"},)"
            R"("timeout":"1h","priority":3,"retry":{"max":2,"backoff":"1s"},)"
            R"("limits":{"memory":4194304,"cpus":1.5E0}}})"},
       }) {
    const Declaration read = only(kOwn, "name = 'n'\ncommand = ['a']\n" + toml);
    EXPECT_EQ(boost::json::serialize(read.fields), json);
    EXPECT_EQ(read.name, "n");
    EXPECT_EQ(read.line, 1U);
  }
}

// Paths of a project are relative to its root; those of triggers.d are absolute.
TEST(Declaration, PathsAreThoseOfTheProject) {
  const std::string lines =
      "name = 'n'\nfiles = ['*.c']\nroot = 'src/'\nshell = 'a'\ncwd = '../q/./w'\nenv_file = "
      "'.env'\n";
  const Declaration read = only(kProject, lines);
  EXPECT_EQ(read.fields.at("source").at("root"), "/p/src");
  EXPECT_EQ(read.fields.at("run").at("cwd"), "/q/w");
  EXPECT_EQ(read.env_file, "/p/.env");
  const Declaration plain = only(kProject, "name = 'n'\nfiles = ['*.c']\nshell = 'a'\n");
  EXPECT_EQ(plain.fields.at("source").at("root"), "/p");
  EXPECT_EQ(plain.fields.at("run").at("cwd"), "/p");
  EXPECT_EQ(only(kProject, "name = 'n'\nwebhook = 'w'\nsecret = 'file:s'\nshell = 'a'\n")
                .fields.at("source")
                .at("secret"),
            "file:/p/s");
  EXPECT_EQ(problems_of(kOwn, "[[trigger]]\n" + lines),
            "4:8: root must be an absolute path; only a project's drover.toml has relative ones\n"
            "6:7: cwd must be an absolute path; only a project's drover.toml has relative ones\n"
            "7:12: env_file must be an absolute path; only a project's drover.toml has relative "
            "ones\n");
}

// Every problem of a file is found at once, with its line and column.
TEST(Declaration, FindsEveryProblem) {
  EXPECT_EQ(
      problems_of(kOwn, R"(
[triger]
x = 1

[[trigger]]
name = "-bad"
corn = "0 3 * * *"
cron = "61 * * * *"
tz = "Europe/Berln"
overlap = "maybe"
filters = ["a eq 1"]
timeout = 5
command = "make"

[[trigger]]
name = "two"
every = "1s"
on = "a.b"
selector = "p"

[[trigger]]
name = "two"
page = "https://x.example/"
shell = "true"
retry = { max = 1000 }
env = { GOOD = "1", "B=D" = "s3cret", N = 7 }
)"),
      R"(2:2: unknown section triger; a file of triggers has only [[trigger]]; did you mean trigger?
6:8: the name of a trigger has 1 to 64 letters, digits, '_', '-' or '.', and begins with a letter, a digit or '_'
7:1: unknown key corn; did you mean cron?
8:8: invalid cron "61 * * * *": minute "61": "61" is outside 0-59
9:6: unknown time zone "Europe/Berln": use a name of the tz database, such as Europe/Berlin; did you mean Europe/Berlin?
10:11: overlap must be skip or queue or replace
11:11: filters is for triggers on events; remove it
12:11: timeout must be text, in quotes
13:11: command must be a list of texts, such as ["make", "all"]
15:1: the command is missing: command = ["…"] or shell = "…"
18:1: every and on cannot be combined; write two triggers
21:1: selector is missing
22:8: the trigger two is declared in line 15, too; choose another name
25:9: retry.max must be a number from 0 to 100
26:21: "B=D" is not the name of an environment variable
26:43: the variable N must be text, in quotes
)");
}

// R15: no problem contains the value of a variable, also if the file is not TOML.
TEST(Declaration, ProblemsContainNoValue) {
  for (const std::string toml :
       {"[[trigger]]\nenv = { A = 's3cret', B = s3cret }\n", "[[trigger]]\nenv = 's3cret'\n",
        "[[trigger]]\nenv = { A = 's3cret'\n", "[[trigger]]\nenv = { A = ['s3cret'] }\n",
        "[[trigger]]\nenv.A = \"s3cret\\q\"\n"}) {
    const std::string problems = problems_of(kOwn, toml);
    EXPECT_FALSE(problems.empty()) << toml;
    EXPECT_FALSE(problems.contains("s3cret")) << problems;
  }
}

// A file that is not TOML has one problem, with its place; so has one with too many triggers.
TEST(Declaration, ABrokenFileHasItsPlace) {
  EXPECT_TRUE(problems_of(kOwn, "[[trigger]]\nname = \n").starts_with("2:")) << "no line";
  EXPECT_EQ(problems_of(kOwn, "trigger = 3\n"),
            "1:11: trigger must be a list of tables: write [[trigger]]\n");
  EXPECT_EQ(problems_of(kOwn, "trigger = [3]\n"),
            "1:12: a trigger must be a table: write [[trigger]]\n");
  std::string many;
  for (size_t i = 0; i <= kDeclaredPerFileMax; ++i) {
    many += "[[trigger]]\nname = 't" + std::to_string(i) + "'\nevery = '1h'\nshell = 'a'\n";
    if (i + 1 == kDeclaredPerFileMax) EXPECT_EQ(problems_of(kOwn, many), "");
  }
  EXPECT_TRUE(problems_of(kOwn, many).contains("more than 200 triggers"));
}

// The other sections of a drover.toml belong to the project.
TEST(Declaration, AProjectHasOtherSections) {
  EXPECT_EQ(problems_of(kProject, "[project]\nid = 'a'\n[play]\n"), "");
  EXPECT_TRUE(problems_of(kOwn, "[project]\nid = 'a'\n").contains("unknown section project"));
}

}  // namespace
}  // namespace drover::triggers
