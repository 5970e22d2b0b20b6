// Secrets are planted in every input, and then searched for in every output.
#include <fstream>

#include "tests/cli/secrets_fixture.h"

namespace drover::tests {
namespace {

// R3, R5, R15, H3: no secret of the daemon or of a run appears in an answer, a stream, an event, an
// error, the log, the metrics, the command line, or a file other than the run's own.
TEST_F(Secrets, AreNowhere) {
  flock_.daemon();
  const Fd stream = flock_.connect();
  const std::string follow = "GET /api/events?follow=true HTTP/1.1\r\nHost: d\r\n\r\n";
  ASSERT_TRUE(write_all(stream.get(), follow));

  // Secrets of the daemon.
  plant("the owner's token", owner_token());
  const std::string token = plant("a token", this->token("read,run,cancel", "app"));
  const std::string link = flock_.ok({"ui", "--no-open"});
  plant("a link that was not used", link.substr(link.find('=') + 1));
  const std::string session = log_in();
  plant("a session", session.substr(session.find('=') + 1, session.size() - session.find('=') - 3));
  std::string of_run;
  const std::string living = run_with_token(of_run);
  plant("a run's token", of_run);

  // Secrets of runs: in their environments and their commands.
  const std::string env =
      plant("a variable that was passed", "plantedvariable11111111111111111111");
  const std::string other = plant("a variable that was set", "plantedsetting2222222222222222222");
  const std::string header = plant("a bearer token", "plantedbearer33333333333333333333");
  const std::string password = plant("a password in a URL", "plantedpassword4444444444444444");
  const std::string key = plant("a key in a URL", "plantedurlkey5555555555555555555555");
  const std::string option = plant("the value of an option", "plantedoption66666666666666666");
  const std::string pem = plant("a private key", "MIIPLANTEDPEM7777777777777777777777777");
  const std::string program = plant("a mistaken program", "plantedprogram88888888888888888");
  const std::string directory = plant("a directory", "planteddirectory999999999999999999999999");
  flock_.environment["DEPLOY_PASSWORD"] = env;
  const std::string block = "-----BEGIN PRIVATE KEY-----\n" + pem + "\n-----END PRIVATE KEY-----";
  const std::vector<std::string> words{"-e",
                                       "MY_SECRET=" + other,
                                       "--",
                                       "/bin/sh",
                                       "-c",
                                       "exit 3",
                                       "-H",
                                       "Authorization: Bearer " + header,
                                       "https://me:" + password + "@example.com/?key=" + key,
                                       "--api-key",
                                       option,
                                       block,
                                       env,
                                       "x" + other,
                                       token,
                                       of_run,
                                       owner_token()};
  std::vector<std::string> ids{living};
  const auto run = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"run", "--detach"});
    ids.push_back(flock_.ok(more));
    flock_.ended(ids.back());
  };
  run(words);
  std::vector<std::string> again = words;
  again.insert(again.begin(), {"--retry", "1", "--backoff", "1ms"});
  run(again);
  run({"--", "DEPLOY_TOKEN=" + program, "make"});  // Somebody forgot --env.
  run({"--", "/nowhere/" + env});
  run({"-e", "FOLDER_SECRET=" + directory, "--cwd", "/nowhere/" + directory, "--", "true"});
  run({"--shell", "exit 4; echo " + env + " | curl -u me:" + other});
  flock_.environment.erase("DEPLOY_PASSWORD");
  flock_.drover({"retry", ids[1]});
  flock_.ended("@last");

  // Secrets sent to the wrong place, which an error might quote.
  for (const auto& [name, secret] : planted_) {
    if (secret == pem) continue;  // Alone, it is not recognizable.
    for (const std::string& credential : {secret, token}) {
      for (const std::string& target : {"/api/runs/" + secret, "/api/runs?scope=" + secret,
                                        "/" + secret, "/login?code=" + secret}) {
        const Reply reply = ask_tcp({.target = target, .token = credential});
        EXPECT_NE(reply.status, 500);
        if (secret.starts_with("dro_")) expect_none(reply.head + reply.body, target);
      }
    }
    const Reply reply = ask({.method = "POST",
                             .target = "/api/runs",
                             .body = R"({"command":["true"],"timeout":")" + secret + "\"}"});
    EXPECT_EQ(reply.status, 400);
    if (secret.starts_with("dro_")) expect_none(reply.head + reply.body, "a refusal");
  }

  look_at_answers(ids);
  look_at_commands(ids);
  look_at_files();
  look_at_processes(living);

  // After a restart, a new daemon has read everything again.
  flock_.kill_daemon();
  flock_.daemon();
  look_at_answers(ids);
  look_at_files();

  // When a run has finished, its own file no longer contains its environment.
  flock_.ok({"cancel", living});
  flock_.wait_for_keeper(living);
  flock_.ended(living);
  for (const std::string& id : ids) {
    const std::string file = content_of(flock_.home().state + "/runs/" + id + ".run");
    EXPECT_EQ(file.find("MY_SECRET="), std::string::npos);
    EXPECT_EQ(file.find("DROVER_TOKEN="), std::string::npos);
  }

  // Everything that the stream has sent until its daemon was killed.
  std::string told;
  char chunk[65'536];
  for (ssize_t n = 0; (n = ::recv(stream.get(), chunk, sizeof chunk, 0)) > 0;) {
    told.append(chunk, static_cast<size_t>(n));
  }
  EXPECT_NE(told.find(ids.back()), std::string::npos);
  expect_none(told, "a stream");
  EXPECT_GT(looked_at_, 150);
}

// R5: the TLS key is read, and never printed.
TEST_F(Secrets, TheKeyOfTlsIsNeverPrinted) {
  const std::string make =
      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj "
      "/CN=localhost -keyout " +
      flock_.file("key.pem") + " -out " + flock_.file("cert.pem") + " 2> " + flock_.file("said");
  ASSERT_EQ(std::system(make.c_str()), 0) << *read_file(flock_.file("said"), 10'000);
  const std::string key = *read_file(flock_.file("key.pem"), 10'000);
  const size_t begin = key.find('\n') + 1;
  plant("the first line of the key", key.substr(begin, key.find('\n', begin) - begin));
  flock_.environment["DROVER_TLS_CERT"] = flock_.file("cert.pem");
  flock_.environment["DROVER_TLS_KEY"] = flock_.file("key.pem");
  EXPECT_TRUE(text_of(flock_.json({"status"}), "url").starts_with("https://"));
  const std::string id = flock_.run("exit 0");
  flock_.ended(id);
  look_at_answers({id});
  look_at_commands({id});
  look_at_files();
  // A key in place of the certificate, and an invalid key, are named and not printed.
  flock_.ok({"stop"});
  std::ofstream(flock_.file("broken.pem")) << key.substr(0, key.size() / 2);
  for (const char* cert : {"key.pem", "broken.pem"}) {
    const Output out = flock_.droverd({"--listen", "127.0.0.1:0", "--tls-cert", flock_.file(cert),
                                       "--tls-key", flock_.file(cert)});
    EXPECT_NE(out.code, 0);
    EXPECT_NE(out.err.find("bad_tls"), std::string::npos) << out.err;
    expect_none(out.out + out.err, "a refusal");
  }
}

}  // namespace
}  // namespace drover::tests
