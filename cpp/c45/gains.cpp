#include "c45/gains.hpp"

namespace planetree::c45 {

template <class Real>
void Gains<Real>::start_tree() {
    if (full_) {
        roots_.clear();
        offers_ = {};
        children_ = {};
        used_bytes_ = 0;
        full_ = false;
    }
    if (roots_.empty()) roots_.assign(n_roots_, nowhere);
}

template <class Real>
bool Gains<Real>::take(std::size_t bytes) {
    full_ |= used_bytes_ + static_cast<double>(bytes) > max_bytes_;
    if (!full_) used_bytes_ += static_cast<double>(bytes);
    return !full_;
}

template <class Real>
std::uint32_t Gains<Real>::add_node() {
    if (!take(sizeof(offers_[0]) + n_columns_ * sizeof(Offer<Real>))) return nowhere;
    offers_.emplace_back(n_columns_);
    return static_cast<std::uint32_t>(offers_.size() - 1);
}

template <class Real>
std::uint32_t Gains<Real>::root(std::size_t which) {
    if (roots_[which] == nowhere) roots_[which] = add_node();
    return roots_[which];
}

template <class Real>
std::uint32_t Gains<Real>::child(std::uint32_t node, std::size_t column, std::size_t branch,
                                 std::size_t n_branches) {
    const std::uint32_t known = offers_[node][column].first_child;
    std::size_t first = known;
    if (known == Offer<Real>::unset) {
        if (!take(n_branches * sizeof(children_[0]))) return nowhere;
        first = children_.size();
        children_.resize(first + n_branches, nowhere);
        offers_[node][column].first_child = static_cast<std::uint32_t>(first);
    }
    if (children_[first + branch] == nowhere) children_[first + branch] = add_node();
    return children_[first + branch];
}

template class Gains<float>;
template class Gains<double>;

}  // namespace planetree::c45
