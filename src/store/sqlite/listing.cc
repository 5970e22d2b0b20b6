#include "store/sqlite/listing.h"

#include <fmt/format.h>

#include "store/scopes.h"
#include "store/sqlite/rows.h"

namespace drover::store::sqlite {
namespace {

bool wants_active(const Query& q) {
  return q.active_only || (q.state && run::is_active(*q.state));
}
bool wants_finished(const Query& q) {
  return q.finished_only || q.finished_before || (q.state && run::is_finished(*q.state));
}

class Maker {
 public:
  explicit Maker(const Query& query) : q_(query) {}

  Listing make() && {
    // SQLite has no statistics of our tables; the shortest way is chosen here.
    std::string page;
    if (!q_.labels.empty()) {
      page = through_labels();
    } else if (!q_.name.empty() && !q_.scope.empty() && q_.scope_alone) {
      page = through("INDEXED BY runs_scope_name", conditions(true));
    } else if (!q_.name.empty()) {
      page = through("INDEXED BY runs_name", conditions(true));
    } else if (!q_.chain.empty()) {
      page = through("INDEXED BY runs_chain", conditions(true));
    } else if (wants_active(q_)) {
      page = through("INDEXED BY runs_active", conditions(true));
    } else if (q_.finished_before) {
      page = through("INDEXED BY runs_finished", conditions(true));
    } else if (!q_.scope.empty() && q_.scope_alone) {
      page = through("INDEXED BY runs_scope", conditions(true));
    } else if (!q_.scope.empty()) {
      page = through_scope();
    } else if (q_.state) {
      page = through("INDEXED BY runs_ended", conditions(true));
    } else {
      page = through("NOT INDEXED", conditions(true));
    }
    // First the numbers of the page, then only its rows: sorting must not carry whole rows.
    listing_.sql =
        fmt::format("SELECT {} FROM runs WHERE number IN ({} LIMIT {}) ORDER BY {}", run_columns(),
                    page, bind(static_cast<std::int64_t>(q_.limit)), order(""));
    return std::move(listing_);
  }

 private:
  std::string bind(std::variant<std::int64_t, std::string> value) {
    listing_.values.push_back(std::move(value));
    return fmt::format("?{}", listing_.values.size());
  }

  // Those that finished first come first, if they are queried by their finish.
  std::string order(std::string_view alias) const {
    if (q_.finished_before && q_.oldest_first) {
      return fmt::format("{0}finished_at, {0}number", alias);
    }
    return fmt::format("{}number {}", alias, q_.oldest_first ? "ASC" : "DESC");
  }

  std::string through(std::string_view how, const std::string& where) {
    return fmt::format("SELECT r.number FROM runs r {} WHERE {} ORDER BY {}", how, where,
                       order("r."));
  }

  // The scope itself and those below it, each in order: SQLite merges the two.
  std::string through_scope() {
    return fmt::format(
        "SELECT r.number FROM runs r INDEXED BY runs_scope WHERE r.scope = {0} AND {1} UNION ALL "
        "SELECT s.number FROM run_scopes s CROSS JOIN runs r ON r.number = s.number "
        "WHERE s.scope = {0}{2} AND {1} ORDER BY 1 {3}",
        bind(q_.scope), conditions(false),
        q_.before ? fmt::format(" AND s.number < {}", bind(*q_.before)) : "",
        q_.oldest_first ? "ASC" : "DESC");
  }

  std::string through_labels() {
    const auto& [key, value] = q_.labels.front();
    std::string where = fmt::format("l.key = {} AND l.value = {}", bind(key), bind(value));
    if (q_.before) where += fmt::format(" AND l.number < {}", bind(*q_.before));
    for (size_t i = 1; i < q_.labels.size(); ++i) {
      where += fmt::format(
          " AND EXISTS (SELECT 1 FROM run_labels m WHERE m.key = {} AND m.value = {} AND "
          "m.number = l.number)",
          bind(q_.labels[i].first), bind(q_.labels[i].second));
    }
    const bool by_end = q_.finished_before && q_.oldest_first;
    return fmt::format(
        "SELECT l.number FROM run_labels l CROSS JOIN runs r ON r.number = l.number "
        "WHERE {} AND {} ORDER BY {}",
        where, conditions(true), order(by_end ? "r." : "l."));
  }

  std::string conditions(bool with_scope) {
    std::string where = "1";
    const auto also = [&](const std::string& condition) { where += " AND " + condition; };
    // In the exact words of the partial indexes, or SQLite would not use them.
    if (wants_active(q_)) also("r.state < 3");
    if (wants_finished(q_)) also("r.state >= 3");
    if (q_.state) also("r.state = " + bind(static_cast<std::int64_t>(*q_.state)));
    if (q_.finished_before) also("r.finished_at < " + bind(*q_.finished_before));
    if (q_.before) also("r.number < " + bind(*q_.before));
    also_between(where);
    // Also in the words of their partial indexes.
    if (!q_.name.empty()) also(fmt::format("r.name = {} AND r.name != ''", bind(q_.name)));
    if (!q_.chain.empty()) also(fmt::format("r.chain = {} AND r.chain != ''", bind(q_.chain)));
    // By its number and not by retried_by: that attempt may have been deleted.
    if (q_.latest_only) {
      also(
          "(r.chain = '' OR r.number = (SELECT max(c.number) FROM runs c INDEXED BY runs_chain "
          "WHERE c.chain = r.chain AND c.chain != ''))");
    }
    if (!q_.lane.empty()) also("r.lane = " + bind(q_.lane));
    if (!q_.kind.empty()) also("r.kind = " + bind(q_.kind));
    if (!q_.kinds.empty()) {
      std::string among;
      for (const std::string& kind : q_.kinds) among += (among.empty() ? "" : ", ") + bind(kind);
      also("r.kind IN (" + among + ")");
    }
    if (!with_scope || q_.scope.empty()) return where;
    if (q_.scope_alone) {
      also("r.scope = " + bind(q_.scope));
    } else {
      also(fmt::format("(r.scope = {} OR (r.scope >= {} AND r.scope < {}))", bind(q_.scope),
                       bind(first_below(q_.scope)), bind(end_below(q_.scope))));
    }
    return where;
  }

  // By the times in their ids. Ids increase with the numbers, unless the clock was set back between
  // two daemons: then the smallest number of a time range is not that of its smallest id. So the
  // bounds are computed from all ids of that range, in their index alone, and runs beyond the
  // bounds are not read. Without `since`, runs newer than `until` are read.
  void also_between(std::string& where) {
    const std::string first = q_.since ? bind(RunId::earliest(*q_.since).str()) : "";
    const std::string end = q_.until ? bind(RunId::earliest(*q_.until).str()) : "";
    const auto within = [&](std::string_view alias) {
      return (q_.since ? fmt::format(" AND {}id >= {}", alias, first) : "") +
             (q_.until ? fmt::format(" AND {}id < {}", alias, end) : "");
    };
    where += within("r.");
    if (!q_.since) return;
    where += fmt::format(
        " AND r.number BETWEEN ifnull((SELECT min(+number) {0}), 1) AND "
        "ifnull((SELECT max(+number) {0}), 0)",
        "FROM runs INDEXED BY sqlite_autoindex_runs_1 WHERE 1" + within(""));
  }

  const Query& q_;
  Listing listing_;
};

}  // namespace

Listing listing_of(const Query& query) {
  return Maker(query).make();
}

}  // namespace drover::store::sqlite
