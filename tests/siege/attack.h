// An attack is one bounded strike of one kind: its count and its time have limits, it contacts only
// sockets of this machine, and random numbers decide everything that varies. It checks what it can
// see for itself; the bystanders and the census check the rest.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "tests/siege/target.h"

namespace drover::siege {

struct Attack {
  std::string_view name;
  void (*strike)(Target&, tests::SeededRandom&);
  bool is_outage = false;     // Nobody is answered in time meanwhile. One at a time.
  bool kills_daemon = false;  // Otherwise the daemon stays the same.
  bool takes_long = false;    // By design: up to half a minute.
};

// One file each.
std::span<const Attack> hostile_runs();    // Animals of the zoo.
std::span<const Attack> hostile_plays();   // Projects that attack the user who plays them.
std::span<const Attack> intruders();       // Runs that attack their own keepers.
std::span<const Attack> strangers();       // Callers without a token, over TCP.
std::span<const Attack> tls_crowds();      // The same with TLS, at another user's daemon.
std::span<const Attack> greedy_tokens();   // Callers that take all they can.
std::span<const Attack> floods();          // Deliveries, events, questions, reports.
std::span<const Attack> large_requests();  // Screens, outputs, bodies of the largest size.
std::span<const Attack> slow_readers();    // Clients that do not read what they requested.
std::span<const Attack> full_disk();       // No space, for a moment.
std::span<const Attack> cleaners();        // Remove sockets.
std::span<const Attack> foreign_homes();   // Files of another user.
std::span<const Attack> stoppers();        // Stop keepers and cradles.
std::span<const Attack> killers();         // Kill daemons, cradles, keepers.
std::span<const Attack> ordinary_load();   // Many harmless runs.

// All of them.
std::vector<Attack> every_attack();

}  // namespace drover::siege
