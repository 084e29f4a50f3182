// The core's entry points under libFuzzer, with address and undefined-behavior sanitizers.
//
// The bytes of an input choose an entry point, a shape and the cells of a table: mostly small whole
// numbers, which tie and repeat, and sometimes any double that the Python side lets through. An
// answer must be one: numbers, a bound that is not above the objective, a tree with a root.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "c45/grow.hpp"
#include "c45/prune.hpp"
#include "changes/box_program.hpp"
#include "core/canonical_rows.hpp"
#include "core/cuts.hpp"
#include "core/moments.hpp"
#include "core/neighbors.hpp"
#include "hinge/certificate.hpp"
#include "hinge/program.hpp"
#include "hull/max_norm.hpp"

using namespace planetree;

namespace {

constexpr double kSeconds = 2.0;  // of one call; a loop that does not ask its watch is a timeout
constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

void require(bool holds) {
    if (!holds) std::abort();
}

class Bytes {
  public:
    Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

    std::uint8_t byte() { return size_ == 0 ? 0 : (--size_, *data_++); }
    int below(int n) { return byte() % n; }
    double cell() {
        const std::uint8_t kind = byte();
        if (kind < 240) return kind % 8 - 3;
        if (kind < 248) return (kind - 240) * 0.1;
        std::uint64_t bits = 0;
        for (int i = 0; i < 8; ++i) bits = bits << 8 | byte();
        double value;
        std::memcpy(&value, &bits, sizeof value);
        return std::abs(value) < 1e150 ? value : 1.0;  // not a number is no less than anything
    }

  private:
    const std::uint8_t* data_;
    std::size_t size_;
};

struct Drawn {
    std::size_t m;
    int n, k;
    std::vector<double> x, weight;
    std::vector<int> row_class;

    explicit Drawn(Bytes& bytes)
        : m(1 + bytes.below(24)), n(1 + bytes.below(6)), k(2 + bytes.below(3)) {
        for (std::size_t i = 0; i < m; ++i) {
            row_class.push_back(bytes.below(k));
            weight.push_back(bytes.below(4));
        }
        weight[0] += 1;
        for (std::size_t i = 0; i < m * n; ++i) x.push_back(bytes.cell());
    }

    // As `separators.problem` does: a column with one value has scale 1.
    Rows rows(Bytes& bytes) const {
        Rows found{x.data(), row_class.data(), weight.data(), m, n, k, {}, {}, {}, {}};
        for (int c = 0; c < k; ++c) found.class_charge.push_back(1.0 / (1 + bytes.below(9)));
        found.center.resize(n), found.scale.resize(n);
        column_moments(x.data(), weight.data(), m, n, found.center.data(), found.scale.data());
        for (double& scale : found.scale)
            if (!(scale > 1e-290)) scale = 1;
        return found;
    }
};

Watch limit() { return Watch(kSeconds, {}); }

void check_answer(const HingeAnswer& answer) {
    for (const double v : answer.z) require(std::isfinite(v));
    const Certificate& told = answer.certificate;
    require(std::isfinite(told.objective) && told.objective >= 0);
    require(told.bound <= told.objective * (1 + 1e-9) + 1e-12);
}

void linear(Bytes& bytes) {
    const Drawn drawn(bytes);
    Watch watch = limit();
    const Rows rows = drawn.rows(bytes);  // compilers differ in the order of arguments
    const HingeProgram program(rows, bytes.below(2) == 1, watch);
    Prices prices;
    if (bytes.below(2)) {
        prices = Prices(drawn.n);
        for (int j = 0; j < drawn.n; ++j) prices.rise[j] = prices.fall[j] = bytes.below(9) * 0.01;
    }
    const HingeAnswer answer = program.solve(prices, nullptr, {}, watch);
    check_answer(answer);
    check_answer(program.solve(prices, &answer, {}, watch));
}

void quadratic(Bytes& bytes) {
    const Drawn drawn(bytes);
    Watch watch = limit();
    const Rows rows = drawn.rows(bytes);  // compilers differ in the order of arguments
    const HingeProgram program(rows, bytes.below(2) == 1, watch);
    const double l2 = bytes.below(4) * 0.1;
    const HingeAnswer answer = program.solve_quadratic(l2, {}, 1000, watch);
    check_answer(answer);
    const Certificate told = program.certify_quadratic(l2, answer.z, {}, watch);
    require(told.bound <= told.objective * (1 + 1e-9) + 1e-12);
}

void max_norm(Bytes& bytes) {
    const Drawn a(bytes), b(bytes);
    const int n = a.n < b.n ? a.n : b.n;
    Watch watch = limit();
    const MaxNormAnswer answer = solve_max_norm(
        {a.x.data(), a.x.size() / n}, {b.x.data(), b.x.size() / n}, n, bytes.below(4) == 0, watch);
    for (const double v : answer.planes) require(std::isfinite(v));
    require(answer.planes.size() % n == 0 && !(answer.value > answer.bound));
}

template <class Real>
void grow(Bytes& bytes) {
    Drawn drawn(bytes);
    std::vector<std::int64_t> n_categories, classes(drawn.row_class.begin(), drawn.row_class.end());
    for (int j = 0; j < drawn.n; ++j) {
        n_categories.push_back(bytes.below(2) ? -1 : 1 + bytes.below(4));
        for (std::size_t i = 0; i < drawn.m; ++i) {
            double& cell = drawn.x[i * drawn.n + j];
            if (n_categories[j] > 0)
                cell = static_cast<double>(static_cast<int>(std::fmod(std::abs(cell), 4)) %
                                           n_categories[j]);
            if (bytes.below(8) == 1) cell = kMissing;
        }
    }
    Watch watch = limit();
    const c45::Table<Real> table(
        {drawn.x.data(), drawn.m, static_cast<std::size_t>(drawn.n), n_categories.data(),
         classes.data(), static_cast<std::size_t>(drawn.k), drawn.weight.data()},
        watch);
    const c45::Options options{1.0 + bytes.below(3), bytes.below(2) == 1, bytes.below(2) == 1};
    std::vector<std::uint32_t> rows(drawn.m), columns(drawn.n);
    for (std::size_t i = 0; i < drawn.m; ++i) rows[i] = static_cast<std::uint32_t>(i);
    for (int j = 0; j < drawn.n; ++j) columns[j] = static_cast<std::uint32_t>(j);
    const auto tree = c45::Grower<Real>(table, options, watch).run(rows, columns);
    const auto pruned = c45::prune(table, tree, 0.25, options.subsets, watch);
    require(!pruned.nodes.empty() && pruned.nodes.size() <= tree.nodes.size());
}

void cuts(Bytes& bytes) {
    Drawn drawn(bytes);
    for (double& cell : drawn.x)
        if (bytes.below(8) == 1) cell = kMissing;
    Watch watch = limit();
    const auto impurity = bytes.below(2) ? Impurity::gini : Impurity::entropy;
    const auto found = best_cuts(drawn.x.data(), drawn.row_class.data(), drawn.weight.data(),
                                 drawn.m, drawn.n, drawn.k, 1.0, impurity, watch);
    for (const Cut& cut : found) require(!std::isnan(cut.threshold) && !std::isnan(cut.impurity));
}

void canonical(Bytes& bytes) {
    const Drawn drawn(bytes);
    const std::vector<std::int64_t> classes(drawn.row_class.begin(), drawn.row_class.end());
    const std::vector<std::int64_t> n_categories(drawn.n, -1);
    const TableRows rows{drawn.x.data(), classes.data(), drawn.weight.data(), nullptr, drawn.m,
                         drawn.n,        drawn.k};
    Watch watch = limit();
    const auto exponents = column_exponents(rows, n_categories, watch);
    const MergedRows merged = merge_rows(rows, exponents, n_categories, false, watch);
    double before = 0, after = 0;
    for (const double weight : drawn.weight) before += weight;
    for (const double weight : merged.weight) after += weight;
    require(before == after && merged.which.size() == drawn.m);
}

void votes(Bytes& bytes) {
    const Drawn drawn(bytes);
    VotingRows rows{drawn.x.data(),
                    static_cast<std::size_t>(drawn.n),
                    drawn.row_class.data(),
                    drawn.weight.data(),
                    drawn.k,
                    {},
                    {}};
    for (std::size_t i = 0; i < drawn.m; ++i)
        (bytes.below(2) ? rows.voters : rows.tests).push_back(static_cast<std::uint32_t>(i));
    if (rows.voters.empty() || rows.tests.empty()) return;
    Watch watch = limit();
    NeighborVotes found(rows, 1.0 + bytes.below(4), bytes.below(2) ? 1 << 20 : 0);
    std::vector<std::uint32_t> chosen, rest;
    for (int j = 0; j < drawn.n; ++j) (bytes.below(2) ? chosen : rest).push_back(j);
    for (const double weight : found.with_each(chosen, rest, watch))
        require(weight >= 0 && weight <= found.test_weight());
    if (chosen.size() > 1)
        for (const double weight : found.without_each(chosen, watch))
            require(weight >= 0 && weight <= found.test_weight());
}

void box(Bytes& bytes) {
    BoxProgram program;
    const int n = 1 + bytes.below(5), m = bytes.below(5);
    for (int j = 0; j < n; ++j) {
        program.cost.push_back(bytes.below(5));
        program.low.push_back(bytes.below(3));
        program.high.push_back(program.low.back() + bytes.below(5));
    }
    for (int i = 0; i < m * n; ++i) program.rows.push_back(bytes.cell());
    for (int i = 0; i < m; ++i) program.right.push_back(bytes.cell());
    const BoxAnswer answer = solve(program);
    require(!std::isnan(answer.bound));
    for (const double v : answer.values) require(std::isfinite(v));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using Entry = void (*)(Bytes&);
    constexpr Entry entries[] = {linear, quadratic, max_norm, grow<float>, grow<double>,
                                 cuts,   canonical, votes,    box};
    Bytes bytes(data, size);
#ifdef PLANETREE_ENTRY
    entries[PLANETREE_ENTRY](bytes);
#else
    entries[bytes.below(sizeof entries / sizeof *entries)](bytes);
#endif
    return 0;
}
