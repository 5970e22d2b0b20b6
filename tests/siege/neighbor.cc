#include "tests/siege/neighbor.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/json/parse.hpp>
#include <chrono>
#include <cstdlib>

#include "base/fd.h"
#include "tests/hostile/attacked_flock.h"

namespace drover::siege {
namespace {

constexpr uid_t kNobody = 65534;  // As in hostile::as_nobody.
constexpr const char* kMakeCertificate =
    "umask 077; openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 "
    "-subj /CN=localhost -keyout key.pem -out cert.pem";

}  // namespace

Neighbor::Neighbor() {
  char name[] = "/tmp/drover-neighbor-XXXXXX";
  root_ = ::mkdtemp(name);
  hostile::copy_programs(root_ + "/bin");
  if (::geteuid() == 0) EXPECT_EQ(::chown(root_.c_str(), kNobody, kNobody), 0);
  environment_["DROVER_HOME"] = root_ + "/home";
  environment_["HOME"] = root_;
  EXPECT_EQ(shell(kMakeCertificate).code, 0);
  environment_["DROVER_LISTEN"] = "127.0.0.1:0";
  environment_["DROVER_TLS_CERT"] = root_ + "/cert.pem";
  environment_["DROVER_TLS_KEY"] = root_ + "/key.pem";
  const boost::json::object status =
      boost::json::parse(drover({"status", "--json"}).out).as_object();
  daemon_ = status.at("pid").to_number<pid_t>();
  const std::string url = tests::text_of(status, "url");
  port_ = static_cast<std::uint16_t>(std::atoi(url.c_str() + url.rfind(':') + 1));
  // The first client with TLS starts the thread that all share.
  EXPECT_EQ(
      shell("openssl s_client -connect 127.0.0.1:" + std::to_string(port_) + " < /dev/null").code,
      0);
}

Neighbor::~Neighbor() {
  (void)drover({"stop", "--kill", "--no-start"});
  (void)remove_tree(root_);
}

tests::Output Neighbor::shell(const std::string& script) {
  return tests::Started(hostile::as_nobody({"/bin/sh", "-c", script}), environment_, "", root_)
      .finish();
}

tests::Output Neighbor::drover(const std::vector<std::string>& words) {
  std::vector<std::string> argv{root_ + "/bin/drover"};
  argv.insert(argv.end(), words.begin(), words.end());
  return tests::Started(hostile::as_nobody(argv), environment_, "", root_).finish();
}

void Neighbor::run_one() {
  const int code = next_++ % 7;
  const std::string words = "neighbor " + std::to_string(next_);
  const auto begin = std::chrono::steady_clock::now();
  const tests::Output output =
      drover({"run", "--", "/bin/sh", "-c", "echo " + words + "; exit " + std::to_string(code)});
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  during_->add(took.count());
  EXPECT_EQ(output.code, code) << output.err;
  EXPECT_EQ(output.out, words + "\n") << output.err;
}

void Neighbor::expect_verified() {
  const tests::Output report = drover({"doctor", "--verify"});
  EXPECT_EQ(report.code, 0) << report.out << report.err;
}

}  // namespace drover::siege
