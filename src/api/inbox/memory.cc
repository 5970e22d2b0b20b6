#include "api/inbox/memory.h"

#include <boost/json/array.hpp>

#include "api/ask.h"
#include "api/http/target.h"
#include "base/text.h"
#include "inbox/memory.h"
#include "requests/fields.h"

namespace drover::api {
namespace {

namespace json = boost::json;
using inbox::Memories;
using inbox::Memory;
using inbox::MemoryAccess;
using inbox::MemoryName;

// The memory that the request names, if the caller may read it.
Result<MemoryName> memory_of(const Request& request) {
  auto name = MemoryName::parse(request.subject);
  if (!name) return name;
  if (access_to(request.grant, *name) != MemoryAccess::none) return name;
  return fail(ErrorCode::not_found, "not_found",
              "there is no memory " + name->text + " that this token may read", "memory");
}

// Runs `job` beside the loop: it waits for the disk.
template <class Job>
asio::awaitable<Result<Response>> with_memories(Services& services, const Request& request,
                                                Job job) {
  co_return co_await work(
      services, request,
      [state = services.home.state, &clock = services.clock, job = std::move(job)](
          const work::Turn&) -> Result<Response> { return job(Memories(state, clock)); });
}

Result<Response> answer_with(const MemoryName& name, const Result<Memory>& memory) {
  if (!memory) return std::unexpected(memory.error());
  if (!is_utf8(memory->text)) {
    return fail(ErrorCode::corrupt, "not_utf8",
                "the memory " + name.text + " is not valid UTF-8; correct it in an editor",
                "memory");
  }
  return answer_json(200,
                     {{"name", name.text}, {"text", memory->text}, {"revision", memory->revision}});
}

}  // namespace

asio::awaitable<Result<>> check_memory(Services&, Request& request) {
  auto name = memory_of(request);
  co_return name ? Result<>{} : std::unexpected(name.error());
}

asio::awaitable<Result<Response>> list_memories(Services& services, Request& request) {
  co_return co_await with_memories(
      services, request, [grant = request.grant](const Memories& memories) -> Result<Response> {
        json::array names;
        for (const MemoryName& name : memories.list()) {
          if (access_to(grant, name) != MemoryAccess::none) names.emplace_back(name.text);
        }
        return answer_json(200, {{"memories", std::move(names)}});
      });
}

asio::awaitable<Result<Response>> read_memory(Services& services, Request& request) {
  auto name = memory_of(request);
  if (!name) co_return std::unexpected(name.error());
  auto version = text_in(request.query, "version");
  if (!version) co_return std::unexpected(version.error());
  co_return co_await with_memories(
      services, request, [name = *name, version = *version](const Memories& memories) {
        return answer_with(name,
                           version ? memories.read_version(name, *version) : memories.read(name));
      });
}

asio::awaitable<Result<Response>> write_memory(Services& services, Request& request) {
  auto name = memory_of(request);
  if (!name) co_return std::unexpected(name.error());
  requests::Fields fields(request.body);
  std::string text;
  std::string revision;
  fields.text("text", text);
  fields.text("revision", revision);
  const bool has_text = fields.has("text");
  if (auto ok = fields.finish(); !ok) co_return std::unexpected(ok.error());
  if (!has_text) co_return fail_invalid("text", "give the new text of the memory: text");
  if (access_to(request.grant, *name) != MemoryAccess::write) {
    co_return fail(ErrorCode::invalid, "forbidden",
                   "a run may read the memory " + name->text + ", and not change it", "memory");
  }
  std::optional<std::string> from;
  if (!revision.empty()) from = std::move(revision);
  co_return co_await with_memories(
      services, request,
      [name = *name, text = std::move(text), from = std::move(from)](const Memories& memories) {
        return answer_with(name, memories.write(name, text, from));
      });
}

asio::awaitable<Result<Response>> show_memory_log(Services& services, Request& request) {
  auto name = memory_of(request);
  if (!name) co_return std::unexpected(name.error());
  co_return co_await with_memories(
      services, request, [name = *name](const Memories& memories) -> Result<Response> {
        auto log = memories.log(name);
        if (!log) return std::unexpected(log.error());
        json::array versions;
        for (const inbox::MemoryVersion& one : *log) {
          versions.push_back({{"version", one.version},
                              {"replaced_at", rfc3339(one.replaced_at)},
                              {"bytes", one.bytes}});
        }
        return answer_json(200, {{"name", name.text}, {"versions", std::move(versions)}});
      });
}

}  // namespace drover::api
