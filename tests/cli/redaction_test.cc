// Secrets in commands and variables, in every form that people use, against the real daemon.
#include "testing/secret_shapes.h"
#include "tests/cli/secrets_fixture.h"

namespace drover::tests {
namespace {

class Redaction : public Secrets {
 protected:
  // A secret of its own for each place.
  const std::string& plant_for(const std::string& where) {
    const std::string n = std::to_string(100 + planted_.size());
    return plant(where, "Xk" + n + "mQ7p" + n + "vRt9w" + n);
  }
  // Starts a detached run, and waits for its end.
  std::string ended(std::vector<std::string> words) {
    words.insert(words.begin(), {"run", "--detach"});
    const std::string id = flock_.ok(words);
    flock_.ended(id);
    return id;
  }
  void look_at_handles(const std::vector<std::string>& ids) {
    for (const std::string& id : ids) {
      const std::string full = text_of(flock_.show(id), "run_id");
      for (const std::string& path :
           {"/_ref/runs/" + full, "/_ref/runs/" + full + "/timeline", "/api/runs/" + full,
            "/api/runs/" + full + "/why", "/api/runs/" + full + "/events"}) {
        const Reply reply = ask({.target = path});
        EXPECT_EQ(reply.status, 200) << path;
        expect_none(reply.body, path);
      }
    }
  }
  void look_everywhere(const std::vector<std::string>& ids) {
    look_at_answers(ids);
    look_at_commands(ids);
    look_at_files();
  }
};

std::string text_of_command(const boost::json::object& run) {
  return boost::json::serialize(run.at("command"));
}

// R3, R15, H3: a secret in a command appears nowhere: not in an answer, an event, a table, an
// export, the log or the database. The programs do not exist, so the error messages quote them.
TEST_F(Redaction, HidesSecretsInCommands) {
  flock_.environment["PATH"] = "/nowhere";
  std::vector<std::string> ids;
  for (const testing::Argv& shape : testing::commands_with_a_secret()) {
    std::vector<std::string> words{"--"};
    const std::string& secret = plant_for(shape.back() + " " + std::to_string(ids.size()));
    for (std::string& word : testing::with_secret(shape, secret)) words.push_back(std::move(word));
    ids.push_back(ended(words));
    EXPECT_NE(flock_.ok({"show", ids.back(), "--json"}).find("[redacted]"), std::string::npos);
  }
  EXPECT_GE(ids.size(), 60U);
  look_at_handles(ids);
  // The lists contain all of them; only some are looked at in every way.
  look_everywhere({ids.front(), ids[ids.size() / 2], ids.back()});
}

// Ordinary commands are shown as they are.
TEST_F(Redaction, LeavesOrdinaryCommandsAlone) {
  flock_.environment["PATH"] = "/nowhere";
  for (const testing::Argv& argv : testing::ordinary_commands()) {
    std::vector<std::string> words{"--"};
    words.insert(words.end(), argv.begin(), argv.end());
    EXPECT_EQ(text_of_command(flock_.show(ended(words))),
              boost::json::serialize(boost::json::array(argv.begin(), argv.end())));
  }
}

// R15: a value given with -e is shown nowhere, whatever its variable's name is: not in the command,
// the name, a label, the directory or an error message, and not by runs that inherit it.
TEST_F(Redaction, HidesGivenValues) {
  const std::string given = plant_for("a given value");
  const std::string pair = "GREETING=" + given;
  std::vector<std::string> ids;
  ids.push_back(ended({"-e", pair, "--", "/bin/echo", given, "x" + given + "y"}));
  ids.push_back(ended({"-e", pair, "--", "/nowhere/" + given}));
  ids.push_back(ended({"-e", pair, "--cwd", "/nowhere/" + given, "--", "true"}));
  ids.push_back(ended({"-e", pair, "--name", "n-" + given, "--label", "l=" + given, "--", "true"}));
  ids.push_back(ended({"-e", pair, "--shell", "exit 3; curl " + given}));
  ids.push_back(ended({"-e", pair, "--retry", "1", "--backoff", "1ms", "--", "false", given}));
  // A run started by that run: its parent's values are inherited, and still given ones.
  const std::string inner = flock_.programs + "/drover run --name inner -- /bin/echo $GREETING";
  ids.push_back(ended({"-e", pair, "--shell", inner}));
  ids.push_back("inner");
  EXPECT_EQ(text_of_command(flock_.show("inner")), R"(["/bin/echo","[redacted]"])");
  flock_.drover({"retry", ids[1], "-e", pair});
  flock_.ended("@last");
  // An API client gives the variables that it adds to the daemon's.
  const std::string& sent = plant_for("a value sent by a client");
  const Reply reply =
      ask({.method = "POST",
           .target = "/api/runs",
           .body = R"({"env":{"A":")" + sent + R"("},"command":["/bin/echo",")" + sent + R"("]})"});
  EXPECT_EQ(reply.status, 202) << reply.body;
  ids.push_back(text_of(reply.json(), "run_id"));
  flock_.ended(ids.back());
  // The outputs contain the values: a command prints what it wants.
  EXPECT_EQ(flock_.ok({"logs", ids.front()}), given + " x" + given + "y");
  look_at_commands(ids);
  look_at_handles(ids);
  for (const auto& entry : fs::recursive_directory_iterator(flock_.home().state)) {
    const std::string path = entry.path().string();
    if (path.find("/runs/") != std::string::npos || !entry.is_regular_file()) continue;
    expect_none(content_of(path), path);
  }
}

// R15: the same holds for the values of an env file, also of one that cannot be read.
TEST_F(Redaction, HidesTheValuesOfAnEnvFile) {
  const std::string plain = plant_for("a value of a file"), quoted = plant_for("a quoted value");
  const std::string path = flock_.file("my.env");
  std::ofstream(path) << "# for the test\nGREETING=" << plain << "\nOTHER=\"" << quoted << "\"\n";
  std::vector<std::string> ids;
  ids.push_back(ended({"--env-file", path, "--shell", "echo $GREETING $OTHER " + quoted}));
  ids.push_back(ended({"--env-file", path, "--name", "n-" + plain, "--", "/nowhere/" + plain}));
  ids.push_back(ended({"--env-file", path, "-e", "OTHER=1", "--shell", "echo $OTHER " + plain}));
  EXPECT_EQ(flock_.ok({"logs", ids[0]}), plain + " " + quoted + " " + quoted);
  EXPECT_EQ(flock_.ok({"logs", ids[2]}), "1 " + plain);
  EXPECT_NE(text_of_command(flock_.show(ids[0])).find("[redacted]"), std::string::npos);
  look_at_commands(ids);
  look_at_handles(ids);
  std::ofstream(path) << "GREETING = " << plain << "\n";
  const Output refused = flock_.drover({"run", "--env-file", path, "--", "true"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find(path + ", line 1: "), std::string::npos) << refused.err;
  expect_none(refused.err, "the error");
  EXPECT_EQ(flock_.drover({"run", "--env-file", path + "-", "--", "true"}).code, 2);
}

// The diagnosis of a running run does not show the values either, although it names open files.
TEST_F(Redaction, HidesGivenValuesInTheDiagnosis) {
  const std::string& given = plant_for("a given value");
  const std::string pipe = flock_.file("pipe-" + given);
  const std::string script = "mkfifo " + pipe + "; exec 3<>" + pipe + "; echo ready; read x <&3";
  const std::string id = flock_.run(script, {"-e", "WHERE=" + given});
  auto logs = flock_.start({"logs", "-f", id});
  logs->wait_for("ready");
  const std::string why = flock_.ok({"why", id, "--json"});
  expect_none(why, "why");
  EXPECT_NE(why.find("pipe-[redacted]"), std::string::npos) << why;
  flock_.ok({"cancel", id});
  logs->finish();
}

// A notification has the title that the daemon shows, and so no secrets.
TEST_F(Redaction, HidesSecretsInNotifications) {
  const std::string& given = plant_for("a given value");
  const std::string& password = plant_for("a password");
  fs::create_directory(flock_.file("bin"));
  flock_.environment["DISPLAY"] = ":0";
  flock_.environment["XDG_RUNTIME_DIR"] = flock_.file("");
  flock_.environment["PATH"] = flock_.file("bin") + ":/usr/bin:/bin";
  const std::string program = flock_.file("bin/notify-send");
  ASSERT_TRUE(replace_file(program, "#!/bin/sh\necho \"$@\" >> " + flock_.file("told") + "\n"));
  fs::permissions(program, fs::perms::owner_all);
  flock_.ok({"run", "--notify", "-e", "WHO=" + given, "--", "echo", given});
  flock_.ok({"run", "--notify", "-e", "WHO=" + given, "--name", "n" + given, "--", "true"});
  flock_.ok({"run", "--notify", "--", "echo", "--token", password});
  const std::string told = content_of(flock_.file("told"));
  EXPECT_NE(told.find("echo '[redacted]' completed"), std::string::npos) << told;
  expect_none(told, "a notification");
}

// Values that are too common to hide leave the command readable.
TEST_F(Redaction, KeepsCommonValues) {
  const boost::json::object run =
      flock_.show(ended({"-e", "MODE=production", "-e", "PORT=8080", "-e", "DIR=/usr/bin", "-e",
                         "V=1", "--", "/bin/echo", "production", "8080", "/usr/bin/make", "V=1"}));
  EXPECT_EQ(text_of_command(run), R"(["/bin/echo","production","8080","/usr/bin/make","V=1"])");
}

}  // namespace
}  // namespace drover::tests
