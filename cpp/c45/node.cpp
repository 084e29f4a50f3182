#include "c45/node.hpp"

#include <numeric>

namespace planetree::c45 {
template <class Real>
void NodeCases<Real>::count(const Table<Real>& table, const Case<Real>* cases, std::size_t size,
                            bool all_ones, Real* class_counts) {
    at = cases;
    n = size;
    counts = class_counts;
    classes = table.classes.data();
    whole_.resize(table.n_classes);
    class_begin.resize(table.n_classes + 1);
    unit = all_ones;
    if (all_ones)
        count_up(at, n, classes, whole_, class_counts);
    else
        unit = add_up(at, n, classes, table.n_classes, class_counts).all_ones;
    total = std::accumulate(class_counts, class_counts + table.n_classes, Real{0});
}

template <class Real>
void NodeCases<Real>::group() {
    if (!unit) return;
    class_begin[0] = 0;
    for (std::size_t c = 0; c + 1 < class_begin.size(); ++c)
        class_begin[c + 1] = class_begin[c] + static_cast<std::uint32_t>(counts[c]);
    next_.assign(class_begin.begin(), class_begin.end());
    row.resize(n);
    for (std::size_t i = 0; i < n; ++i) row[next_[classes[at[i].row]]++] = at[i].row;
}

template class NodeCases<float>;
template class NodeCases<double>;

}  // namespace planetree::c45
