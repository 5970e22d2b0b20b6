#include "run/password_options.h"

#include <algorithm>
#include <array>

namespace drover::run {
namespace {

using enum PasswordForm;

constexpr std::string_view kCurlFlags = "sSfLkviIgnNqaBGjJlMOpRZ0123456#";

// Several rows of one program stand together.
constexpr auto kPrograms = std::to_array<PasswordProgram>({
    {"mysql", "", "-p", attached},
    {"mysqldump", "", "-p", attached},
    {"mysqladmin", "", "-p", attached},
    {"mysqlimport", "", "-p", attached},
    {"mysqlcheck", "", "-p", attached},
    {"mysqlsh", "", "-p", attached},
    {"mariadb", "", "-p", attached},
    {"mariadb-dump", "", "-p", attached},
    {"mariadb-admin", "", "-p", attached},
    {"mycli", "", "-p", attached},
    {"7z", "", "-p", attached},
    {"7za", "", "-p", attached},
    {"7zz", "", "-p", attached},
    {"rar", "", "-p", attached},
    {"unrar", "", "-p", attached},
    {"sshpass", "", "-p", separate, true},
    {"redis-cli", "", "-a", separate},
    {"redis-benchmark", "", "-a", separate},
    {"valkey-cli", "", "-a", separate},
    {"mongo", "", "-p", separate},
    {"mongosh", "", "-p", separate},
    {"mongodump", "", "-p", separate},
    {"mongorestore", "", "-p", separate},
    {"mongoexport", "", "-p", separate},
    {"mongoimport", "", "-p", separate},
    {"cqlsh", "", "-p", separate},
    {"sqlcmd", "", "-P", separate},
    {"bcp", "", "-P", separate},
    {"mosquitto_pub", "", "-P", separate},
    {"mosquitto_sub", "", "-P", separate},
    {"ipmitool", "", "-P", separate},
    {"zip", "", "-P", separate},
    {"unzip", "", "-P", separate},
    {"ldapsearch", "", "-w", separate},
    {"ldapadd", "", "-w", separate},
    {"ldapmodify", "", "-w", separate},
    {"ldapdelete", "", "-w", separate},
    {"login", "docker", "-p", separate},
    {"login", "podman", "-p", separate},
    {"login", "nerdctl", "-p", separate},
    {"login", "buildah", "-p", separate},
    {"login", "skopeo", "-p", separate},
    {"login", "registry", "-p", separate},
    {"login", "az", "-p", separate},
    {"login", "oc", "-p", separate},
    {"twine", "", "-p", separate},
    {"openssl", "", "-k", exact},
    {"openssl", "", "-K", exact},
    {"openssl", "", "-hmac", exact},
    {"plink", "", "-pw", exact},
    {"pscp", "", "-pw", exact},
    {"psftp", "", "-pw", exact},
    {"rdesktop", "", "-p", separate},
    {"useradd", "", "-p", separate},
    {"usermod", "", "-p", separate},
    {"secret", "gh", "-b", separate},
    {"ssh-keygen", "", "-N", exact},
    {"ssh-keygen", "", "-P", exact},
    {"snmpget", "", "-A", exact},
    {"snmpget", "", "-X", exact},
    {"snmpwalk", "", "-A", exact},
    {"snmpwalk", "", "-X", exact},
    {"docker", "", "-u", owner},
    {"podman", "", "-u", owner},
    {"nerdctl", "", "-u", owner},
    {"curl", "", "-u", user, false, kCurlFlags},
    {"curl", "", "-U", user, false, kCurlFlags},
    {"curl", "", "-b", cookie, false, kCurlFlags},
    {"http", "", "-a", user},
    {"https", "", "-a", user},
    {"lftp", "", "-u", user},
    {"smbclient", "", "-U", user},
});

}  // namespace

const PasswordProgram* password_program(std::string_view word, std::string_view before) {
  const auto found = std::ranges::find_if(kPrograms, [&](const PasswordProgram& row) {
    return row.name == word && (row.after.empty() || row.after == before);
  });
  return found == kPrograms.end() ? nullptr : &*found;
}

PasswordForm password_option(const PasswordProgram& program, std::string_view word,
                             size_t& length) {
  for (const PasswordProgram* row = &program;
       row != kPrograms.data() + kPrograms.size() && row->name == program.name; ++row) {
    // The flags of a cluster: -sS of -sSu.
    size_t flags = word.substr(1).find_first_not_of(row->flags);
    if (flags == word.npos) continue;
    if (row->flags.empty()) flags = 0;
    if (!word.substr(flags + 1).starts_with(row->option.substr(1))) continue;
    length = flags + row->option.size();
    return row->form;
  }
  return none;
}

}  // namespace drover::run
