// An HtmlTree is a page parsed by gumbo, within bounds that gumbo itself does not have.
//
// Gumbo accepts anything as HTML, but takes time quadratic in the depth of the page and in the
// attributes of a tag, and frees its tree recursively: 100,000 nested <div> take 15 s and a deep
// stack. This class gives gumbo its memory, so it sees each node and attribute when it is
// allocated. If the page goes beyond kPageDepthMax, kPageAllocationsPerNodeMax or kPageMemoryMax,
// it leaves the parser with longjmp, which is safe because gumbo is C and all its memory is known
// here. The memory is freed block by block, never by gumbo.
//
// Takes up to two seconds for the largest page: call it beside the loop.
#pragma once

#include <gumbo.h>

#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace drover::triggers {

class HtmlTree {
 public:
  // The tree borrows `html`, which must outlive it. Reasons: page_too_large, page_too_complex.
  static Result<HtmlTree> parse(std::string_view html);

  HtmlTree(HtmlTree&&) noexcept;
  HtmlTree& operator=(HtmlTree&&) noexcept;
  ~HtmlTree();

  // No node below it is deeper than kPageDepthMax.
  const GumboNode& root() const;

 private:
  class Memory;
  explicit HtmlTree(std::unique_ptr<Memory> memory);

  std::unique_ptr<Memory> memory_;
};

// Visits a node and everything below it, in the order of the page, without recursion. The tree must
// outlive it.
class HtmlWalk {
 public:
  explicit HtmlWalk(const GumboNode& root) : first_(&root) {}

  // Null at the end.
  const GumboNode* next();
  // The depth of the latest node below the first, which has 0.
  size_t depth() const { return path_.size() - 1; }
  // Does not visit what is below the latest node.
  void skip_children() { path_.back().child = kEnd; }

 private:
  static constexpr size_t kEnd = static_cast<size_t>(-1);
  struct Place {
    const GumboNode* node;
    size_t child;  // The next one to visit.
  };

  const GumboNode* first_;
  std::vector<Place> path_;  // The latest node and its ancestors.
};

}  // namespace drover::triggers
