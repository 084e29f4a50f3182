#include "strategy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "dense.hpp"
#include "newton.hpp"

namespace planetree {

namespace {

constexpr double kRough = 0.1, kFine = 1e-3;  // where Newton stops, on the way and at the end
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::size_t count_rows(const Tiles& tiles) {
    return std::count_if(tiles.id.begin(), tiles.id.end(), [](std::int64_t id) { return id >= 0; });
}

Kinked kinked(const Tiles& tiles, const std::vector<double>& price) {
    return {&tiles, charges(tiles), price, std::vector<double>(tiles.shape.size(), 0.0)};
}

bool no_normal(const Shape& shape, const std::vector<double>& z) {
    double largest = 0;
    for (int b = 0; b < shape.blocks; ++b)
        for (int j = 0; j < shape.n; ++j)
            largest = std::max(largest, std::fabs(z[b * shape.width() + j]));
    return largest < 1e-12;
}

// A share of each class, its charge scaled up to that of the whole.
Tiles sample(const Tiles& tiles, std::size_t share) {
    Tiles part;
    part.shape = tiles.shape;
    part.costs = tiles.costs;
    const std::size_t least = (4 * tiles.shape.width() + kLanes - 1) / kLanes;
    for (std::size_t first = 0; first < tiles.count();) {
        std::size_t last = first;
        while (last < tiles.count() && tiles.tile_class[last] == tiles.tile_class[first]) ++last;
        const std::size_t whole = last - first;
        const std::size_t kept = std::min(whole, std::max((whole + share - 1) / share, least));
        const auto copy = [&](const auto& from, auto& to, std::size_t width) {
            to.insert(to.end(), from.begin() + first * width,
                      from.begin() + (first + kept) * width);
        };
        copy(tiles.x, part.x, static_cast<std::size_t>(kLanes) * tiles.shape.n);
        copy(tiles.tile_class, part.tile_class, 1);
        copy(tiles.id, part.id, kLanes);
        const double* charge = tiles.charge.data() + first * kLanes;
        const double all = std::accumulate(charge, charge + whole * kLanes, 0.0);
        const double some = std::accumulate(charge, charge + kept * kLanes, 0.0);
        for (std::size_t l = 0; l < kept * kLanes; ++l)
            part.charge.push_back(some > 0 ? charge[l] * (all / some) : 0);
        first = last;
    }
    return part;
}

// Distance of each lane to its nearest kink, and the sides of all constraints at z.
struct Position {
    std::vector<double> residual;  // a constraint
    std::vector<double> distance;  // a lane

    Position(const Tiles& tiles, const std::vector<double>& z)
        : residual(tiles.n_constraints()), distance(tiles.n_lanes(), kInfinity) {
        margins(tiles, z.data(), residual.data());
        const int slots = tiles.shape.slots();
        for (double& r : residual) r -= 1;
        for (std::size_t t = 0; t < tiles.count(); ++t)
            for (int s = 0; s < slots; ++s)
                for (int l = 0; l < kLanes; ++l) {
                    const std::size_t lane = t * kLanes + l;
                    if (tiles.charge[lane] > 0)
                        distance[lane] = std::min(
                            distance[lane], std::fabs(residual[(t * slots + s) * kLanes + l]));
                }
    }
};

double nearest(std::vector<double> distance, std::size_t count) {
    count = std::min(count, distance.size()) - 1;
    std::nth_element(distance.begin(), distance.begin() + count, distance.end());
    return distance[count];
}

// Part of a program: some rows as they are, the others fixed on the side where z has them.
struct Part {
    std::vector<char> keep;  // a lane
    Tiles tiles;
    std::vector<double> fixed;  // slopes of the fixed constraints; 0 for the kept
    Kinked program;

    Part(const Tiles& whole, const std::vector<double>& charge, const std::vector<double>& price,
         const Position& at, std::vector<char> kept)
        : keep(std::move(kept)), tiles(gather(whole, keep)), fixed(whole.n_constraints()) {
        for (std::size_t c = 0; c < fixed.size(); ++c)
            if (!keep[whole.lane_of(c)] && at.residual[c] < 0) fixed[c] = -charge[c];
        program = kinked(tiles, price);
        accumulate(whole, fixed.data(), program.linear.data());
    }

    // Lanes outside that are no longer on the side where they were fixed.
    std::vector<std::size_t> strays(const Tiles& whole, const std::vector<double>& charge,
                                    const Position& at) const {
        std::vector<std::size_t> out;
        for (std::size_t c = 0; c < fixed.size(); ++c) {
            const std::size_t lane = whole.lane_of(c);
            if (keep[lane] || charge[c] == 0) continue;
            if ((fixed[c] < 0) != (at.residual[c] < 0) && at.residual[c] != 0) out.push_back(lane);
        }
        return out;
    }

    std::vector<double> all_slopes(const Tiles& whole, const std::vector<double>& own) const {
        std::vector<double> out = fixed;
        const int slots = whole.shape.slots();
        for (std::size_t lane = 0; lane < tiles.n_lanes(); ++lane) {
            if (tiles.id[lane] < 0) continue;
            const std::size_t to = static_cast<std::size_t>(tiles.id[lane]);
            for (int s = 0; s < slots; ++s)
                out[(to / kLanes * slots + s) * kLanes + to % kLanes] =
                    own[(lane / kLanes * slots + s) * kLanes + lane % kLanes];
        }
        return out;
    }
};

// Lanes near their kinks, and the few whose charge alone can turn the balance.
std::vector<char> lanes_within(const Tiles& tiles, const Position& at, double distance) {
    std::vector<char> keep(at.distance.size());
    const double total = std::accumulate(tiles.charge.begin(), tiles.charge.end(), 0.0);
    const double heavy = total / (4 * tiles.shape.width());
    for (std::size_t l = 0; l < keep.size(); ++l)
        keep[l] = at.distance[l] <= distance || tiles.charge[l] > heavy;
    return keep;
}

double value(const std::vector<double>& charge, const std::vector<double>& price,
             const std::vector<double>& z, const Position& at) {
    double sum = 0;
    for (std::size_t c = 0; c < charge.size(); ++c)
        sum += charge[c] * std::max(0.0, -at.residual[c]);
    for (std::size_t p = 0; p < z.size(); ++p) sum += price[p] * std::fabs(z[p]);
    return sum;
}

// Newton on samples that grow, the last one being all rows with those far from their kinks fixed.
Position approach(const Tiles& tiles, const std::vector<double>& charge,
                  const std::vector<double>& price, double last, HingeAnswer& answer,
                  Watch& watch) {
    const double rows = static_cast<double>(count_rows(tiles));
    const double width = tiles.shape.width();
    // How far the optimum of a sample of one row in `share` is from that of the whole, in margins.
    const auto spread = [&](double share) { return std::sqrt(width * share / rows); };
    double share = 1, h = 2;
    while (rows / (share * 8) > 20 * width) share *= 8;
    for (; share > 1; share /= 8) {
        const Tiles part = sample(tiles, static_cast<std::size_t>(share));
        const double to = std::clamp(0.5 * spread(share), last, h);
        answer.steps += smooth_newton(kinked(part, price), h, to, kRough, answer.z, watch);
        h = std::min(2.0, 2 * spread(share));
    }
    Position at(tiles, answer.z);
    while (true) {
        const double to = 0.1 * h > last ? 0.2 * h : last, gain = to > last ? kRough : kFine;
        const double before = value(charge, price, answer.z, at);
        const std::vector<double> start = answer.z;
        if (5 * h < 2) {
            const Part part(tiles, charge, price, at, lanes_within(tiles, at, 5 * h));
            answer.steps += smooth_newton(part.program, h, to, gain, answer.z, watch);
        } else {
            answer.steps += smooth_newton(kinked(tiles, price), h, to, gain, answer.z, watch);
        }
        at = Position(tiles, answer.z);
        if (value(charge, price, answer.z, at) > before * (1 + 1e-3)) {
            answer.z = start;  // rows that were fixed have left their side
            answer.steps += smooth_newton(kinked(tiles, price), h, last, kFine, answer.z, watch);
            at = Position(tiles, answer.z);
            return at;
        }
        if (to <= last || watch.expired()) return at;
        h = to;
    }
}

}  // namespace

void solve_by_simplex(const Tiles& tiles, const std::vector<double>& price, HingeAnswer& answer,
                      Watch& watch) {
    const Kinked program = kinked(tiles, price);
    Simplex simplex(program, answer.z, watch);
    answer.outcome = simplex.run();
    if (answer.outcome == Outcome::optimal && no_normal(tiles.shape, simplex.z()))
        simplex.leave_anchors();
    answer.z = simplex.z();
    answer.slopes = simplex.slopes();
    answer.steps += simplex.pivots();
    answer.method = "simplex";
}

void solve_tall(const Tiles& tiles, const std::vector<double>& price, HingeAnswer& answer,
                Watch& watch) {
    const std::vector<double> charge = charges(tiles);
    const double width = std::min(0.5, 4.0 * tiles.shape.width() / count_rows(tiles));
    Position at = approach(tiles, charge, price, width, answer, watch);
    answer.method = "newton";
    const std::size_t near =
        std::count_if(at.distance.begin(), at.distance.end(), [&](double d) { return d < width; });
    std::size_t band = std::max<std::size_t>(4 * near, 8 * tiles.shape.width());
    std::vector<char> keep = lanes_within(tiles, at, nearest(at.distance, band));
    for (int round = 0; round < 30; ++round) {
        const Part part(tiles, charge, price, at, keep);
        Simplex simplex(part.program, answer.z, watch);
        answer.outcome = simplex.run();
        answer.steps += simplex.pivots();
        if (answer.outcome == Outcome::expired || answer.outcome == Outcome::stalled) {
            answer.z = simplex.z();
            answer.slopes = part.all_slopes(tiles, simplex.slopes());
            return;
        }
        if (answer.outcome == Outcome::unbounded) {
            if (band >= tiles.n_lanes()) break;
            band *= 4;
            keep = lanes_within(tiles, at, nearest(at.distance, band));
            continue;
        }
        answer.z = simplex.z();
        at = Position(tiles, answer.z);
        const auto strays = part.strays(tiles, charge, at);
        if (strays.empty()) {
            answer.slopes = part.all_slopes(tiles, simplex.slopes());
            return;
        }
        const double reach = nearest(at.distance, band);
        for (std::size_t l = 0; l < keep.size(); ++l) keep[l] |= at.distance[l] <= reach;
        for (const std::size_t lane : strays) keep[lane] = 1;
    }
    answer.outcome = Outcome::stalled;
    answer.slopes.assign(tiles.n_constraints(), 0.0);
}

void enlarge_to_unit_margin(const Tiles& tiles, std::vector<double>& z) {
    double least = kInfinity;
    const Position at(tiles, z);
    for (std::size_t c = 0; c < at.residual.size(); ++c)
        if (tiles.charge[tiles.lane_of(c)] > 0) least = std::min(least, at.residual[c] + 1);
    if (!(least > 0 && least < 1 + 1e-12)) return;
    for (double& v : z) v *= (1 + 1e-12) / least;
}

bool solve_by_least_norm(const Tiles& tiles, HingeAnswer& answer) {
    const Shape& shape = tiles.shape;
    const std::size_t lanes = tiles.n_lanes();
    const int size = static_cast<int>(lanes);
    Gram gram(size);
    for (int j = 0; j <= shape.n; ++j) {
        double* row = gram.next_row(1);
        for (std::size_t t = 0; t < tiles.count(); ++t)
            for (int l = 0; l < kLanes; ++l)
                row[t * kLanes + l] = tiles.id[t * kLanes + l] < 0 ? 0
                                      : j < shape.n                ? tiles.tile(t)[j * kLanes + l]
                                                                   : 1;
    }
    const auto& sum = gram.finish();
    std::vector<double> matrix(lanes * lanes), weight(lanes * shape.blocks);
    for (std::size_t i = 0; i < lanes; ++i) {
        std::copy_n(&sum[i * gram.stride()], lanes, &matrix[i * lanes]);
        if (tiles.id[i] < 0) matrix[i * lanes + i] = 1;
        const int own = shape.begin(tiles.tile_class[i / kLanes]) / shape.width();
        for (int b = 0; b < shape.blocks; ++b)
            if (tiles.id[i] >= 0)
                weight[b * lanes + i] =
                    tiles.tile_class[i / kLanes] < shape.k - shape.blocks ? -1 : own == b;
    }
    if (!solve_positive(matrix, size, 0, weight.data(), shape.blocks)) return false;
    std::vector<double> z(shape.size(), 0.0);
    for (int b = 0; b < shape.blocks; ++b)
        for (std::size_t i = 0; i < lanes; ++i) {
            const double a = weight[b * lanes + i];
            const double* x = tiles.tile(i / kLanes) + i % kLanes;
            if (tiles.id[i] < 0) continue;
            for (int j = 0; j < shape.n; ++j) z[b * shape.width() + j] += a * x[j * kLanes];
            z[b * shape.width() + shape.n] -= a;
        }
    const Position at(tiles, z);
    for (std::size_t c = 0; c < at.residual.size(); ++c)
        if (tiles.id[tiles.lane_of(c)] >= 0 && !(at.residual[c] > -0.5)) return false;
    answer.z = std::move(z);
    answer.slopes.assign(tiles.n_constraints(), 0.0);
    answer.outcome = Outcome::optimal;
    answer.method = "least norm";
    return true;
}

namespace {

// Orthonormal vectors that span the rows, by Gram-Schmidt done twice.
std::vector<double> span(const Tiles& tiles) {
    const int n = tiles.shape.n;
    std::vector<double> basis, row(n);
    for (std::size_t lane = 0; lane < tiles.n_lanes(); ++lane) {
        if (tiles.id[lane] < 0) continue;
        const double* x = tiles.tile(lane / kLanes) + lane % kLanes;
        for (int j = 0; j < n; ++j) row[j] = x[j * kLanes];
        const double before = std::sqrt(dot(row.data(), row.data(), n));
        for (int round = 0; round < 2; ++round)
            for (std::size_t v = 0; v < basis.size(); v += n)
                axpy(-dot(&basis[v], row.data(), n), &basis[v], row.data(), n);
        const double after = std::sqrt(dot(row.data(), row.data(), n));
        if (!(after > 1e-10 * before)) continue;
        for (const double v : row) basis.push_back(v / after);
    }
    return basis;
}

Tiles rewrite(const Tiles& tiles, const std::vector<double>& basis) {
    const int n = tiles.shape.n, rank = static_cast<int>(basis.size() / n);
    Shape shape = tiles.shape;
    shape.n = rank;
    TilesBuilder builder(shape, tiles.costs, tiles.n_lanes());
    std::vector<double> row(n), in_basis(rank);
    for (std::size_t lane = 0; lane < tiles.n_lanes(); ++lane) {
        if (tiles.id[lane] < 0) continue;
        const double* x = tiles.tile(lane / kLanes) + lane % kLanes;
        for (int j = 0; j < n; ++j) row[j] = x[j * kLanes];
        for (int v = 0; v < rank; ++v)
            in_basis[v] = dot(&basis[static_cast<std::size_t>(v) * n], row.data(), n);
        builder.add(tiles.tile_class[lane / kLanes], in_basis.data(), 1, tiles.charge[lane],
                    tiles.id[lane]);
    }
    return builder.finish();
}

Tiles with_features(const Tiles& tiles, const std::vector<int>& features) {
    Tiles part = tiles;
    part.shape.n = static_cast<int>(features.size());
    part.x.resize(tiles.count() * features.size() * kLanes);
    double* to = part.x.data();
    for (std::size_t t = 0; t < tiles.count(); ++t)
        for (const int j : features) to = std::copy_n(tiles.tile(t) + j * kLanes, kLanes, to);
    return part;
}

// Copies the unknowns of some features between a program and its restriction to them.
template <class Copy>
void for_unknowns(const Shape& whole, const Shape& part, const std::vector<int>& features,
                  Copy&& copy) {
    for (int b = 0; b < part.blocks; ++b) {
        for (int j = 0; j < part.n; ++j)
            copy(b * part.width() + j, b * whole.width() + features[j]);
        copy(b * part.width() + part.n, b * whole.width() + whole.n);
    }
}

// How much each feature would give beyond its price.
std::vector<double> excess(const Tiles& tiles, const std::vector<double>& price,
                           const std::vector<double>& slopes) {
    const Shape& shape = tiles.shape;
    std::vector<double> sum(shape.size(), 0.0), out(shape.n, 0.0);
    accumulate(tiles, slopes.data(), sum.data());
    for (int b = 0; b < shape.blocks; ++b)
        for (int j = 0; j < shape.n; ++j) {
            const int p = b * shape.width() + j;
            out[j] = std::max(out[j], std::fabs(sum[p]) - price[p] * (1 + 1e-11) - 1e-15);
        }
    return out;
}

std::vector<int> largest(const std::vector<double>& gain, std::size_t count, double above) {
    std::vector<int> order(gain.size());
    std::iota(order.begin(), order.end(), 0);
    order.erase(
        std::remove_if(order.begin(), order.end(), [&](int j) { return !(gain[j] > above); }),
        order.end());
    count = std::min(count, order.size());
    std::partial_sort(order.begin(), order.begin() + count, order.end(), [&](int a, int b) {
        return gain[a] > gain[b] || (gain[a] == gain[b] && a < b);
    });
    order.resize(count);
    return order;
}

}  // namespace

void solve_in_span(const Tiles& tiles, HingeAnswer& answer, Watch& watch) {
    const std::vector<double> basis = span(tiles);
    const Tiles part = rewrite(tiles, basis);
    const int n = tiles.shape.n;
    HingeAnswer inner;
    inner.z.assign(part.shape.size(), 0.0);
    solve_by_shape(part, std::vector<double>(part.shape.size(), 0.0), inner, watch);
    std::vector<double> z(tiles.shape.size(), 0.0);
    for (int b = 0; b < part.shape.blocks; ++b) {
        const double* u = &inner.z[b * part.shape.width()];
        double* w = &z[b * tiles.shape.width()];
        for (int v = 0; v < part.shape.n; ++v)
            axpy(u[v], &basis[static_cast<std::size_t>(v) * n], w, n);
        w[n] = u[part.shape.n];
    }
    answer = std::move(inner);
    answer.z = std::move(z);
}

void solve_by_features(const Tiles& tiles, const std::vector<double>& price, HingeAnswer& answer,
                       Watch& watch) {
    const std::size_t batch = 64;
    std::vector<double> slopes = charges(tiles);
    for (double& a : slopes) a = -a;
    std::vector<int> features = largest(excess(tiles, price, slopes), batch, -kInfinity);
    std::fill(answer.z.begin(), answer.z.end(), 0.0);
    while (true) {
        const Tiles part = with_features(tiles, features);
        HingeAnswer inner;
        std::vector<double> part_price(part.shape.size());
        inner.z.resize(part.shape.size());
        for_unknowns(tiles.shape, part.shape, features, [&](int p, int whole) {
            inner.z[p] = answer.z[whole];
            part_price[p] = price[whole];
        });
        solve_by_simplex(part, part_price, inner, watch);
        std::fill(answer.z.begin(), answer.z.end(), 0.0);
        for_unknowns(tiles.shape, part.shape, features,
                     [&](int p, int whole) { answer.z[whole] = inner.z[p]; });
        answer.slopes = std::move(inner.slopes);
        answer.outcome = inner.outcome;
        answer.steps += inner.steps;
        answer.method = "features";
        if (inner.outcome != Outcome::optimal) return;
        std::vector<double> gain = excess(tiles, price, answer.slopes);
        for (const int j : features) gain[j] = 0;
        const std::vector<int> more = largest(gain, batch, 0);
        if (more.empty()) return;
        features.insert(features.end(), more.begin(), more.end());
    }
}

void solve_by_shape(const Tiles& tiles, const std::vector<double>& price, HingeAnswer& answer,
                    Watch& watch) {
    const std::size_t rows = count_rows(tiles), width = tiles.shape.width();
    const bool priced = std::any_of(price.begin(), price.end(), [](double p) { return p > 0; });
    if (!priced && width > rows) {
        if (solve_by_least_norm(tiles, answer)) return;
        if (width > rows + 1) return solve_in_span(tiles, answer, watch);
    }
    if (priced && width > 128 && 4 * width > rows)
        return solve_by_features(tiles, price, answer, watch);
    if (rows < 8 * width || rows < 500) return solve_by_simplex(tiles, price, answer, watch);
    solve_tall(tiles, price, answer, watch);
    if (answer.outcome == Outcome::optimal && no_normal(tiles.shape, answer.z)) {
        std::fill(answer.z.begin(), answer.z.end(), 0.0);
        solve_by_simplex(tiles, price, answer, watch);
    }
}

Certificate certify(const Tiles& tiles, const std::vector<double>& price,
                    const std::vector<double>& z, const std::vector<double>& slopes) {
    const std::vector<double> charge = charges(tiles);
    const Position at(tiles, z);
    Certificate out;
    std::vector<double> a(slopes.size());
    double total = 0, dual = 0;
    for (std::size_t first = 0; first < charge.size(); first += kLanes) {
        double error = 0, sum = 0, all = 0;
        for (std::size_t c = first; c < first + kLanes; ++c) {
            error += charge[c] * std::max(0.0, -at.residual[c]);
            a[c] = std::clamp(slopes[c], -charge[c], 0.0);
            sum -= a[c];
            all += charge[c];
        }
        out.error += error;
        dual += sum;
        total += all;
    }
    std::vector<double> rest(z.size(), 0.0);
    accumulate(tiles, a.data(), rest.data());
    out.objective = out.error;
    out.bound = dual;
    for (std::size_t p = 0; p < z.size(); ++p) {
        out.objective += price[p] * std::fabs(z[p]);
        out.bound -= std::max(0.0, std::fabs(rest[p]) - price[p]) * (1 + std::fabs(z[p]));
    }
    out.bound = std::max(0.0, out.bound);
    out.gap = std::fabs(out.objective - out.bound) / std::max(out.objective, 1e-6 * total);
    return out;
}

}  // namespace planetree
