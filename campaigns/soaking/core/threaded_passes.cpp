// The core's threads under ThreadSanitizer: passes over rows, and cross-validations that are ended.
//
// Each pass is made by one thread and by several, which must give the same bits, and by several
// callers at once. What a block throws, a time limit and a lack of memory for threads end a pass in
// good order. A race that the sanitizer sees ends the process with an error.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include "c45/classify.hpp"
#include "core/canonical_rows.hpp"
#include "core/class_order.hpp"
#include "core/moments.hpp"
#include "core/plane_scores.hpp"
#include "core/threads.hpp"
#include "grading/likelihood.hpp"
#include "hinge/certificate.hpp"
#include "hinge/program.hpp"

using namespace planetree;

namespace {

constexpr int kThreads = 4;
constexpr std::size_t kColumns = 4;

thread_local int allocations_left = -1;  // below 0: none fails

}  // namespace

void* operator new(std::size_t size) {
    if (allocations_left >= 0 && allocations_left-- == 0) throw std::bad_alloc();
    if (void* const found = std::malloc(size)) return found;
    throw std::bad_alloc();
}
void operator delete(void* at) noexcept { std::free(at); }
void operator delete(void* at, std::size_t) noexcept { std::free(at); }

namespace {

void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "threaded_passes: %s\n", what);
    std::exit(1);
}

// More rows than a block holds, some of them equal, of classes that overlap.
struct Drawn {
    std::vector<double> x, weight;
    std::vector<int> row_class;
    std::vector<std::int64_t> wide_class;
    std::size_t m;
    int k;

    Drawn(std::size_t rows, int classes) : m(rows), k(classes) {
        std::mt19937 random(7);
        std::normal_distribution<double> normal;
        for (std::size_t i = 0; i < m; ++i) {
            double sum = 0.7 * normal(random);
            for (std::size_t j = 0; j < kColumns; ++j) {
                x.push_back(static_cast<int>(normal(random) * 20) / 16.0);
                sum += x.back() / static_cast<double>(j + 1);
            }
            row_class.push_back(sum < 0 ? 0 : sum < 1 || k == 2 ? 1 : 2);
            wide_class.push_back(row_class.back());
            weight.push_back(1 + static_cast<double>(i % 3));
        }
    }

    Rows rows() const {
        Rows found{x.data(), row_class.data(), weight.data(), m, kColumns, k, {}, {}, {}, {}};
        found.class_charge.assign(k, 1.0 / static_cast<double>(m));
        found.center.resize(kColumns), found.scale.resize(kColumns);
        column_moments(x.data(), weight.data(), m, kColumns, found.center.data(),
                       found.scale.data());
        return found;
    }
};

using Numbers = std::vector<double>;

template <class Values>
void append(Numbers& found, const Values& more) {
    for (const auto each : more) found.push_back(static_cast<double>(each));
}

Numbers canonical(const Drawn& drawn) {
    const TableRows rows{
        drawn.x.data(), drawn.wide_class.data(), drawn.weight.data(), nullptr, drawn.m, kColumns,
        drawn.k};
    const std::vector<std::int64_t> n_categories(kColumns, -1);
    Watch watch;
    const auto exponents = column_exponents(rows, n_categories, watch);
    const MergedRows merged = merge_rows(rows, exponents, n_categories, false, watch);
    const std::vector<std::uint32_t> chosen(merged.first.begin(), merged.first.end()),
        columns(merged.columns.begin(), merged.columns.end());
    Numbers found(chosen.size() * columns.size());
    scale_cells(drawn.x.data(), kColumns, exponents, chosen, columns, found.data(), watch);
    append(found, merged.which);
    append(found, merged.weight);
    return found;
}

Numbers moments(const Drawn& drawn) {
    Numbers found(2 * kColumns);
    column_moments(drawn.x.data(), drawn.weight.data(), drawn.m, kColumns, found.data(),
                   found.data() + kColumns);
    const ClassRows rows{
        drawn.x.data(), drawn.wide_class.data(), drawn.weight.data(), drawn.m, kColumns, drawn.k};
    const Numbers totals = class_totals(rows);
    append(found, class_ranks(rows, totals, found.data(), found.data() + kColumns));
    append(found, totals);
    return found;
}

Numbers scores(const Drawn& drawn) {
    const Numbers weights{1, -0.5, 0.25, 0.125, 0, 1, 0, -1}, offsets{0.1, -0.1};
    const std::vector<std::uint32_t> columns{0, 1, 2, 3};
    const std::vector<std::int64_t> categories(kColumns, -1);
    const ScorePlanes planes{weights.data(), offsets.data(), 2,
                             kColumns,       columns.data(), categories.data()};
    Numbers found(drawn.m * 2);
    Watch watch;
    plane_scores({drawn.x.data(), drawn.m, kColumns, 1}, planes, found.data(), watch);
    return found;
}

// Its planes, its multipliers, and what proves them.
Numbers linear(const Drawn& drawn) {
    Watch watch;
    const HingeProgram program(drawn.rows(), false, watch);
    const HingeAnswer answer = program.solve({}, nullptr, {}, watch);
    Numbers found = answer.z;
    const Numbers duals = program.scatter_duals(answer.slopes);
    append(found, duals);
    const double charge = 1.0 / static_cast<double>(drawn.m);
    const RawRows raw{
        drawn.x.data(), drawn.row_class.data(), drawn.m, kColumns, drawn.k, &charge, 0, 0};
    const int planes = drawn.k == 2 ? 1 : drawn.k;
    const RawPrices free{Numbers(kColumns), Numbers(kColumns)};
    found.push_back(prove_bound(raw, planes, free, duals.data(), {}, watch));
    const Numbers weights(planes * kColumns, 0.5), offsets(planes);
    const PlanesValue value = value_of_planes(raw, weights.data(), offsets.data(), watch);
    append(found, Numbers{value.error, value.least_margin, value.squares});
    return found;
}

Numbers quadratic(const Drawn& drawn) {
    Watch watch;
    const HingeProgram program(drawn.rows(), false, watch);
    const HingeAnswer answer = program.solve_quadratic(0.01, {}, 1000, watch);
    Numbers found = answer.z;
    const Certificate told = program.certify_quadratic(0.01, answer.z, {}, watch);
    append(found, Numbers{told.objective, told.bound});
    return found;
}

// What a tree of one decision expects in its two leaves.
Numbers grading(const Drawn& drawn) {
    GradedTree tree;
    tree.n_classes = drawn.k, tree.n_inputs = kColumns;
    tree.rule = {Rule::slabs, Rule::leaf, Rule::leaf};
    tree.first_input = {0, 0, 0}, tree.input_count = {1, 0, 0};
    tree.child_start = {0, 2, 2, 2}, tree.children = {1, 2}, tree.parts = {0.5, 0.5};
    const GradedRowsView rows{drawn.x.data(), drawn.row_class.data(), drawn.weight.data(), drawn.m};
    const Numbers slope{2, 1, 1}, shift(3), leaf(3 * drawn.k, 1.0 / drawn.k);
    Watch watch;
    return expected_counts(tree, rows, slope.data(), shift.data(), leaf.data(), watch);
}

using Pass = Numbers (*)(const Drawn&);
constexpr Pass kPasses[] = {canonical, moments, scores, linear, quadratic, grading};

Numbers in_threads(int count, Pass pass, const Drawn& drawn) {
    set_thread_count(count);
    Numbers found = pass(drawn);
    set_thread_count(1);
    return found;
}

void same_bits(const Drawn& drawn) {
    for (const Pass pass : kPasses)
        require(in_threads(1, pass, drawn) == in_threads(kThreads, pass, drawn),
                "several threads give other numbers than one");
}

// Callers share the rows and nothing else.
void callers_at_once(const Drawn& drawn) {
    std::vector<std::thread> callers;
    for (const Pass pass : kPasses)
        callers.emplace_back([&drawn, pass] { in_threads(2, pass, drawn); });
    for (std::thread& each : callers) each.join();
}

void failing_block() {
    set_thread_count(kThreads);
    bool told = false;
    try {
        run_blocks(100, [](std::size_t b) {
            if (b % 7 == 3) throw std::runtime_error("a block");
        });
    } catch (const std::runtime_error&) {
        told = true;
    }
    require(told, "what a block throws is lost");
}

void late_pass() {
    set_thread_count(kThreads);
    Watch over(0.0, {});
    std::atomic<int> done{0};
    const auto slowly = [&](std::size_t) {
        ++done;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    };
    require(!run_blocks(1000, slowly, &over) && done < 1000,
            "a pass goes on when its time is over");
}

// Each allocation of a pass fails once, so that only some of its threads begin.
void too_little_memory() {
    set_thread_count(kThreads);
    for (int n = 0; n < 12; ++n) {
        std::vector<int> visits(100);
        const std::function<void(std::size_t)> visit = [&](std::size_t b) { ++visits[b]; };
        allocations_left = n;
        run_blocks(visits.size(), visit);
        allocations_left = -1;
        for (const int each : visits) require(each == 1, "a block is not done once");
    }
}

// Cross-validations by several threads take turns, and another thread stops them.
void stopped_validation() {
    const Drawn drawn(3000, 2);
    const std::vector<std::int64_t> n_categories(kColumns, -1);
    Watch watch;
    const c45::Table<float> table({drawn.x.data(), drawn.m, kColumns, n_categories.data(),
                                   drawn.wide_class.data(), 2, drawn.weight.data()},
                                  watch);
    std::vector<std::int64_t> fold_of_row(drawn.m);
    for (std::size_t i = 0; i < drawn.m; ++i) fold_of_row[i] = static_cast<std::int64_t>(i % 5);
    c45::CrossValidator<float> validator(table, fold_of_row, {0, 1, 2, 3, 4}, {0.25},
                                         {2.0, true, false}, 1 << 20, [] {});
    std::atomic<int> ended{0};
    const auto validate = [&] {
        try {
            for (;;) validator.run({0, 1, 2, 3}, -1);
        } catch (const std::runtime_error&) {
            ++ended;
        }
    };
    std::thread one(validate), two(validate);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    validator.stop(true);
    one.join(), two.join();
    require(ended == 2, "a cross-validation goes on that was stopped");
}

}  // namespace

int main() {
    for (const int classes : {2, 3}) {
        const Drawn drawn(100'000, classes);
        same_bits(drawn);
        callers_at_once(drawn);
    }
    failing_block();
    late_pass();
    too_little_memory();
    stopped_validation();
    std::puts("threaded_passes: no race, the same bits");
}
