#include "triggers/poll/html_tree.h"

#include <csetjmp>
#include <cstdlib>
#include <string>
#include <unordered_set>
#include <utility>

#include "base/text.h"
#include "triggers/poll/limits.h"

namespace drover::triggers {
namespace {

const GumboVector* children_of(const GumboNode& node) {
  if (node.type == GUMBO_NODE_DOCUMENT) return &node.v.document.children;
  if (node.type == GUMBO_NODE_ELEMENT || node.type == GUMBO_NODE_TEMPLATE) {
    return &node.v.element.children;
  }
  return nullptr;
}

const GumboNode* child_at(const GumboNode& node, size_t at) {
  const GumboVector* children = children_of(node);
  if (children == nullptr || at >= children->length) return nullptr;
  return static_cast<const GumboNode*>(children->data[at]);
}

}  // namespace

// The blocks that gumbo has, in a list, each behind its header.
class HtmlTree::Memory {
 public:
  Memory() {
    list_.next = list_.previous = &list_;
    // A rehash could throw, and no exception may pass through gumbo.
    nodes_.reserve(1024);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() {
    while (list_.next != &list_) release(list_.next);
  }

  // Returns false if the page is too complex.
  bool parse(std::string_view html) {
    GumboOptions options = kGumboDefaultOptions;
    options.max_errors = 0;
    options.userdata = this;
    options.allocator = [](void* self, size_t bytes) {
      return static_cast<Memory*>(self)->allocate(bytes);
    };
    options.deallocator = [](void* self, void* block) {
      static_cast<Memory*>(self)->deallocate(block);
    };
    // Between here and the longjmp are only frames of gumbo and of `allocate`, which has nothing to
    // destroy.
    if (setjmp(give_up_) != 0) return false;
    output_ = gumbo_parse_with_options(&options, html.data(), html.size());
    return true;
  }

  const GumboNode& root() const { return *output_->root; }

 private:
  struct alignas(std::max_align_t) Header {
    Header* next = nullptr;
    Header* previous = nullptr;
    size_t bytes = 0;
    int depth = 0;  // Of a node: the depth of its parent plus 1.
  };

  static Header* header_of(void* block) { return static_cast<Header*>(block) - 1; }
  static const Header* header_of(const void* block) {
    return static_cast<const Header*>(block) - 1;
  }

  void* allocate(size_t bytes) {
    // A node is allocated, then filled, then inserted: the latest one has its parent by now.
    if (bytes == sizeof(GumboNode)) {
      if (latest_ != nullptr && !measure_latest()) std::longjmp(give_up_, 1);
      allocations_ = 0;
    }
    if (++allocations_ > kPageAllocationsPerNodeMax) std::longjmp(give_up_, 1);
    if (bytes > kPageMemoryMax - used_) std::longjmp(give_up_, 1);
    void* memory = std::calloc(1, sizeof(Header) + bytes);
    if (memory == nullptr) std::longjmp(give_up_, 1);
    auto* header = new (memory) Header{list_.next, &list_, bytes};
    list_.next->previous = header;
    list_.next = header;
    used_ += bytes;
    void* block = header + 1;
    if (bytes == sizeof(GumboNode)) {
      latest_ = block;
      if (!remember(block)) std::longjmp(give_up_, 1);
    }
    return block;
  }

  // A text can have the size of a node, too: its bytes count as a parent only if they are the
  // address of a block of that size.
  bool measure_latest() {
    const void* parent = static_cast<const GumboNode*>(latest_)->parent;
    if (parent == nullptr || !nodes_.contains(parent)) return true;
    Header* header = header_of(latest_);
    header->depth = header_of(parent)->depth + 1;
    return header->depth <= kPageDepthMax;
  }

  bool remember(const void* block) noexcept try {
    nodes_.insert(block);
    return true;
  } catch (...) {
    return false;
  }

  void deallocate(void* block) {
    if (block == nullptr) return;
    Header* header = header_of(block);
    if (header->bytes == sizeof(GumboNode)) {
      nodes_.erase(block);
      if (latest_ == block) latest_ = nullptr;
    }
    used_ -= header->bytes;
    release(header);
  }

  static void release(Header* header) {
    header->previous->next = header->next;
    header->next->previous = header->previous;
    std::free(header);
  }

  Header list_;
  std::unordered_set<const void*> nodes_;  // The blocks that have the size of a node.
  void* latest_ = nullptr;                 // Of those.
  size_t allocations_ = 0;                 // Since then.
  size_t used_ = 0;
  GumboOutput* output_ = nullptr;
  std::jmp_buf give_up_ = {};
};

HtmlTree::HtmlTree(std::unique_ptr<Memory> memory) : memory_(std::move(memory)) {}
HtmlTree::HtmlTree(HtmlTree&&) noexcept = default;
HtmlTree& HtmlTree::operator=(HtmlTree&&) noexcept = default;
HtmlTree::~HtmlTree() = default;

const GumboNode& HtmlTree::root() const {
  return memory_->root();
}

Result<HtmlTree> HtmlTree::parse(std::string_view html) {
  if (html.size() > kPageBytesMax) {
    return fail(
        ErrorCode::invalid, "page_too_large",
        "the page has " + grouped(html.size()) + " bytes; the maximum is " + grouped(kPageBytesMax),
        "page");
  }
  const auto too_complex = [] {
    return fail(ErrorCode::invalid, "page_too_complex",
                "the page nests elements more than " + std::to_string(kPageDepthMax) +
                    " levels deep, has a tag with too many attributes, or needs too much memory",
                "page");
  };
  auto memory = std::make_unique<Memory>();
  if (!memory->parse(html)) return too_complex();
  HtmlTree tree(std::move(memory));
  // The parser can move nodes after they were measured.
  HtmlWalk walk(tree.root());
  while (walk.next() != nullptr) {
    if (walk.depth() > size_t{kPageDepthMax}) return too_complex();
  }
  return tree;
}

const GumboNode* HtmlWalk::next() {
  if (first_ != nullptr) {
    path_.push_back({std::exchange(first_, nullptr), 0});
    return path_.back().node;
  }
  while (!path_.empty()) {
    Place& place = path_.back();
    const GumboNode* child = place.child == kEnd ? nullptr : child_at(*place.node, place.child);
    if (child != nullptr) {
      ++place.child;
      path_.push_back({child, 0});
      return child;
    }
    path_.pop_back();
  }
  return nullptr;
}

}  // namespace drover::triggers
