// Several independent chains over the networks of one table, on several threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "search/network_chain.hpp"
#include "search/share_turns.hpp"

namespace noisyor {

// What chains drew: the networks inside the limit, one row each, with their ticks.
struct ChainDraws {
    std::vector<std::uint32_t> choices;
    std::vector<Ticks> ticks;
    std::int64_t visits = 0;  // networks looked at, inside and outside the limit
};

// The chains, whatever the width of their sets. Each has its own random numbers, so what it does
// depends neither on the others nor on the number of threads.
class NetworkChains {
  public:
    virtual ~NetworkChains() = default;
    virtual std::size_t size() const = 0;
    virtual Ticks ticks(std::size_t chain) const = 0;
    virtual const std::vector<std::uint32_t>& choice(std::size_t chain) const = 0;
    virtual double slope(std::size_t chain) const = 0;
    virtual void put(std::size_t chain, const std::uint32_t* choice) = 0;
    // The fewest ticks that any chain has met; the earliest chain has them.
    virtual Ticks best(std::vector<std::uint32_t>& choice) const = 0;

    // Runs all chains from `begin` on through these slopes, a sweep each, without a limit.
    virtual void anneal(std::size_t begin, const std::vector<double>& slopes, int threads,
                        const std::atomic<bool>& cancelled) = 0;
    // Runs all chains for some sweeps, and adapts the slope outside the limit so that each chain
    // spends about as much time inside as outside. `most` bounds the slope.
    virtual void warm_up(Ticks limit, double inner, double most, int sweeps, int threads,
                         const std::atomic<bool>& cancelled) = 0;
    // Continues each chain until it has drawn `wanted` networks inside the limit, one after every
    // `spacing` sweeps that end there; less if it is cancelled, looks at `most_visits` networks, or
    // meets a network of fewer than `stop_below` ticks.
    virtual std::vector<ChainDraws> draw(Ticks limit, double inner, Ticks stop_below,
                                         std::size_t wanted, int spacing, std::int64_t most_visits,
                                         int threads, const std::atomic<bool>& cancelled) = 0;
};

template <int W>
class ChainsOfWidth final : public NetworkChains {
  public:
    ChainsOfWidth(FamilyTable<W> table, const std::uint32_t* start,
                  const std::vector<std::uint64_t>& seeds)
        : table_(std::move(table)), slopes_(seeds.size(), 0) {
        chains_.reserve(seeds.size());
        for (const std::uint64_t seed : seeds) chains_.emplace_back(table_, start, seed);
    }

    std::size_t size() const override { return chains_.size(); }
    Ticks ticks(std::size_t chain) const override { return chains_[chain].ticks(); }
    const std::vector<std::uint32_t>& choice(std::size_t chain) const override {
        return chains_[chain].choice();
    }
    double slope(std::size_t chain) const override { return slopes_[chain]; }
    void put(std::size_t chain, const std::uint32_t* choice) override {
        chains_[chain].put(choice);
    }

    Ticks best(std::vector<std::uint32_t>& choice) const override {
        const auto least = std::min_element(
            chains_.begin(), chains_.end(),
            [](const auto& a, const auto& b) { return a.best().ticks < b.best().ticks; });
        choice = least->best().choice;
        return least->best().ticks;
    }

    void anneal(std::size_t begin, const std::vector<double>& slopes, int threads,
                const std::atomic<bool>& cancelled) override {
        share(begin, threads, [&](std::size_t c) {
            for (const double slope : slopes) {
                const ChainLaw law{std::numeric_limits<Ticks>::min() / 2, slope, slope};
                if (!chains_[c].sweep(law, cancelled)) return;
            }
        });
    }

    void warm_up(Ticks limit, double inner, double most, int sweeps, int threads,
                 const std::atomic<bool>& cancelled) override {
        share(0, threads, [&](std::size_t c) {
            // Steps as in Robbins and Monro (1951), on the logarithm of what the slope has more.
            double more = inner;
            for (int i = 0; i < sweeps; ++i) {
                slopes_[c] = inner + more;
                if (!chains_[c].sweep({limit, inner, slopes_[c]}, cancelled)) return;
                const double step = 1 + 4.0 / (4.0 + i);
                more = chains_[c].ticks() > limit ? more * step : more / step;
                more = std::clamp(more, inner / 1024, std::max(inner / 1024, most - inner));
            }
            slopes_[c] = inner + more;
        });
    }

    std::vector<ChainDraws> draw(Ticks limit, double inner, Ticks stop_below, std::size_t wanted,
                                 int spacing, std::int64_t most_visits, int threads,
                                 const std::atomic<bool>& cancelled) override {
        std::vector<ChainDraws> draws(size());
        share(0, threads, [&](std::size_t c) {
            auto& chain = chains_[c];
            auto& own = draws[c];
            const ChainLaw law{limit, inner, slopes_[c]};
            while (own.ticks.size() < wanted && own.visits < most_visits &&
                   chain.best().ticks >= stop_below) {
                for (int i = 0; i < spacing; ++i) {
                    if (!chain.sweep(law, cancelled)) return;
                }
                ++own.visits;
                if (chain.ticks() > limit) continue;
                own.ticks.push_back(chain.ticks());
                own.choices.insert(own.choices.end(), chain.choice().begin(), chain.choice().end());
            }
        });
        return draws;
    }

  private:
    template <class Body>
    void share(std::size_t begin, int threads, const Body& body) {
        if (begin >= size()) return;
        share_turns(static_cast<std::size_t>(threads), size() - begin,
                    [&](std::size_t, std::size_t turn) { body(begin + turn); });
    }

    FamilyTable<W> table_;
    std::vector<NetworkChain<W>> chains_;
    std::vector<double> slopes_;
};

}  // namespace noisyor
