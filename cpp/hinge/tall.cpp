#include <algorithm>
#include <cmath>
#include <numeric>

#include "hinge/newton.hpp"
#include "hinge/residuals.hpp"
#include "hinge/strategy.hpp"

namespace planetree {

namespace {

constexpr double kRough = 0.1, kFine = 1e-3;  // where Newton stops, on the way and at the end

// Numbers for which `holds`, in their order.
template <class Holds>
std::vector<std::size_t> all_of_which(std::size_t count, Holds&& holds) {
    std::vector<std::vector<std::size_t>> parts(block_count(count, kBlockRows));
    for_blocks(count, kBlockRows, [&](std::size_t first, std::size_t last, std::size_t b) {
        for (std::size_t i = first; i < last; ++i)
            if (holds(i)) parts[b].push_back(i);
    });
    std::vector<std::size_t> out;
    for (const auto& part : parts) out.insert(out.end(), part.begin(), part.end());
    return out;
}

// The distance of the lane that has `count` - 1 nearer ones, which may be somewhat beyond `guess`.
double nearest(const std::vector<double>& distance, std::size_t count, double guess) {
    count = std::min(count, distance.size());
    std::vector<double> near;
    for (int tries = 0; tries < 6 && near.size() < count; ++tries, guess *= 2) {
        const auto lanes =
            all_of_which(distance.size(), [&](std::size_t l) { return distance[l] <= guess; });
        near.resize(lanes.size());
        std::transform(lanes.begin(), lanes.end(), near.begin(),
                       [&](std::size_t l) { return distance[l]; });
    }
    if (near.size() < count) near = distance;
    std::nth_element(near.begin(), near.begin() + (count - 1), near.end());
    return near[count - 1];
}

// Part of a program: some rows as they are, the others fixed on the side where z has them.
struct Part {
    std::vector<char> keep;  // a lane
    Tiles tiles;
    std::vector<double> fixed;  // slopes of the fixed constraints; 0 for the kept
    Kinked program;

    Part(const Tiles& whole, const std::vector<double>& charge, const Prices& price,
         const Position& at, std::vector<char> kept)
        : keep(std::move(kept)), tiles(gather(whole, keep)), fixed(whole.n_constraints()) {
        for_blocks(fixed.size(), kBlockRows, [&](std::size_t first, std::size_t last, std::size_t) {
            for (std::size_t c = first; c < last; ++c)
                if (!keep[whole.lane_of(c)] && at.residual[c] < 0) fixed[c] = -charge[c];
        });
        program = kinked(tiles, price);
        accumulate(whole, fixed.data(), program.linear.data());
    }

    // Lanes outside that are no longer on the side where they were fixed.
    std::vector<std::size_t> strays(const Tiles& whole, const std::vector<double>& charge,
                                    const Position& at) const {
        std::vector<std::size_t> out = all_of_which(fixed.size(), [&](std::size_t c) {
            if (keep[whole.lane_of(c)] || charge[c] == 0) return false;
            return (fixed[c] < 0) != (at.residual[c] < 0) && at.residual[c] != 0;
        });
        for (std::size_t& c : out) c = whole.lane_of(c);
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
    for_blocks(keep.size(), kBlockRows, [&](std::size_t first, std::size_t last, std::size_t) {
        for (std::size_t l = first; l < last; ++l)
            keep[l] = at.distance[l] <= distance || tiles.charge[l] > heavy;
    });
    return keep;
}

// Newton on samples that grow; how far from its kinks a row may be that the next step should see.
double approach_by_samples(const Tiles& tiles, const Prices& price, double last,
                           HingeAnswer& answer, Watch& watch) {
    const double rows = static_cast<double>(count_rows(tiles));
    const double width = tiles.shape.width();
    // How far the optimum of a sample of one row in `share` is from that of the whole, in margins.
    const auto spread = [&](double share) { return std::sqrt(width * share / rows); };
    const bool warm =
        std::any_of(answer.z.begin(), answer.z.end(), [](double v) { return v != 0; });
    double share = 1, h = warm ? 0.5 : 2;
    while (!warm && rows / (share * 8) > 20 * width) share *= 8;
    for (; share > 1 && !watch.expired(); share /= 8) {
        const Tiles part = sample(tiles, static_cast<std::size_t>(share));
        const double to = std::clamp(0.5 * spread(share), last, h);
        answer.steps += smooth_newton(kinked(part, price), h, to, kRough, answer.z, watch);
        h = std::min(2.0, 2 * spread(share));
    }
    return h;
}

// Newton on all rows, those far from their kinks fixed.
Position approach(const Tiles& tiles, const std::vector<double>& charge, const Prices& price,
                  double h, double last, HingeAnswer& answer, Watch& watch) {
    Position at(tiles, answer.z);
    while (!watch.expired()) {
        const double to = 0.1 * h > last ? 0.2 * h : last, gain = to > last ? kRough : kFine;
        const double before = value(charge, price, answer.z, at);
        const std::vector<double> start = answer.z;
        if (watch.expired()) break;
        if (5 * h < 2) {
            const Part part(tiles, charge, price, at, lanes_within(tiles, at, 5 * h));
            answer.steps += smooth_newton(part.program, h, to, gain, answer.z, watch);
        } else {
            answer.steps += smooth_newton(kinked(tiles, price), h, to, gain, answer.z, watch);
        }
        if (watch.expired()) {
            if (certify(tiles, price, answer.z, {}).objective > before) answer.z = start;
            break;
        }
        at = Position(tiles, answer.z);
        if (value(charge, price, answer.z, at) > before * (1 + 1e-3)) {
            answer.z = start;  // rows that were fixed have left their side
            answer.steps += smooth_newton(kinked(tiles, price), h, last, kFine, answer.z, watch);
            at = Position(tiles, answer.z);
            return at;
        }
        if (to <= last) break;
        h = to;
    }
    return at;
}

}  // namespace

void solve_tall(const Tiles& tiles, const Prices& price, HingeAnswer& answer, Watch& watch) {
    watch.check();  // planes of a sample that no step has improved may be worse than none
    const double width = std::min(0.5, 4.0 * tiles.shape.width() / count_rows(tiles));
    const double h = approach_by_samples(tiles, price, width, answer, watch);
    watch.check();  // with many classes what follows takes memory
    const std::vector<double> charge = charges(tiles);
    watch.check();
    Position at = approach(tiles, charge, price, h, width, answer, watch);
    answer.method = "newton";
    answer.basis.clear();
    if (watch.expired()) {
        answer.outcome = Outcome::expired;
        answer.slopes.clear();
        return;
    }
    const std::size_t near = all_of_which(at.distance.size(), [&](std::size_t l) {
                                 return at.distance[l] < width;
                             }).size();
    std::size_t band = std::max<std::size_t>(4 * near, 8 * tiles.shape.width());
    std::vector<char> keep = lanes_within(tiles, at, nearest(at.distance, band, 2 * width));
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
            keep = lanes_within(tiles, at, nearest(at.distance, band, 2 * width));
            continue;
        }
        answer.z = simplex.z();
        at = Position(tiles, answer.z);
        const auto strays = part.strays(tiles, charge, at);
        if (strays.empty()) {
            answer.slopes = part.all_slopes(tiles, simplex.slopes());
            return;
        }
        const double reach = nearest(at.distance, band, 2 * width);
        for (std::size_t l = 0; l < keep.size(); ++l) keep[l] |= at.distance[l] <= reach;
        for (const std::size_t lane : strays) keep[lane] = 1;
    }
    answer.outcome = Outcome::stalled;
    answer.slopes.clear();
}

}  // namespace planetree
