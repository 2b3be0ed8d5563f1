// The Python face of the chains over networks.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "cancellation.hpp"
#include "search/network_chains.hpp"

namespace noisyor {
namespace {

class NetworkChainsHandle {
  public:
    NetworkChainsHandle(Vector1<std::int64_t> first, Matrix<Word> parents, Vector1<Ticks> ticks,
                        Vector1<std::uint32_t> start, Vector1<std::uint64_t> seeds)
        : variables_(start.shape(0)) {
        nb::gil_scoped_release release;
        const std::vector<std::uint64_t> own(seeds.data(), seeds.data() + seeds.shape(0));
        with_set_type(parents.shape(1), [&]<int W>(VariableSet<W>) {
            chains_ = std::make_unique<ChainsOfWidth<W>>(
                FamilyTable<W>::load(first.data(), first.shape(0) - 1, parents.data(),
                                     ticks.data()),
                start.data(), own);
        });
    }

    auto ticks() const {
        std::vector<Ticks> all(chains_->size());
        for (std::size_t c = 0; c < all.size(); ++c) all[c] = chains_->ticks(c);
        return to_numpy(std::move(all));
    }
    auto slopes() const {
        std::vector<double> all(chains_->size());
        for (std::size_t c = 0; c < all.size(); ++c) all[c] = chains_->slope(c);
        return to_numpy(std::move(all));
    }
    auto choices() const {
        std::vector<std::uint32_t> all;
        for (std::size_t c = 0; c < chains_->size(); ++c) {
            all.insert(all.end(), chains_->choice(c).begin(), chains_->choice(c).end());
        }
        return to_numpy<std::uint32_t, 2>(std::move(all), {chains_->size(), variables_});
    }
    auto best() const {
        std::vector<std::uint32_t> choice;
        const Ticks ticks = chains_->best(choice);
        return std::make_pair(ticks, to_numpy(std::move(choice)));
    }
    void put(std::size_t chain, Vector1<std::uint32_t> choice) {
        chains_->put(chain, choice.data());
    }
    void anneal(std::size_t begin, const std::vector<double>& slopes, int threads,
                const Cancellation& cancellation) {
        nb::gil_scoped_release release;
        chains_->anneal(begin, slopes, threads, cancellation.flag());
    }
    void warm_up(Ticks limit, double inner, double most, int sweeps, int threads,
                 const Cancellation& cancellation) {
        nb::gil_scoped_release release;
        chains_->warm_up(limit, inner, most, sweeps, threads, cancellation.flag());
    }
    std::vector<ChainDraws> draw(Ticks limit, double inner, Ticks stop_below, std::size_t wanted,
                                 int spacing, std::int64_t most_visits, int threads,
                                 const Cancellation& cancellation) {
        nb::gil_scoped_release release;
        return chains_->draw(limit, inner, stop_below, wanted, spacing, most_visits, threads,
                             cancellation.flag());
    }

  private:
    std::size_t variables_;
    std::unique_ptr<NetworkChains> chains_;
};

}  // namespace

void bind_chains(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<ChainDraws>(m, "ChainDraws", "The networks that one chain drew.")
        .def_prop_ro(
            "choices",
            [](const ChainDraws& one) {
                const std::size_t rows = one.ticks.size();
                const std::size_t width = rows == 0 ? 0 : one.choices.size() / rows;
                return to_numpy<std::uint32_t, 2>(std::vector<std::uint32_t>(one.choices),
                                                  {rows, width});
            },
            "Families (draws, variables).", nb::rv_policy::move)
        .def_prop_ro("ticks", array_of(&ChainDraws::ticks), nb::rv_policy::move)
        .def_ro("visits", &ChainDraws::visits, "Networks looked at, inside and outside the limit.");
    nb::class_<NetworkChainsHandle>(m, "NetworkChains",
                                    "Independent Markov chains over acyclic networks.")
        .def(nb::init<Vector1<std::int64_t>, Matrix<Word>, Vector1<Ticks>, Vector1<std::uint32_t>,
                      Vector1<std::uint64_t>>(),
             "first"_a, "parents"_a, "ticks"_a, "start"_a, "seeds"_a)
        .def_prop_ro("ticks", &NetworkChainsHandle::ticks, "Ticks of each chain's network.",
                     nb::rv_policy::move)
        .def_prop_ro("slopes", &NetworkChainsHandle::slopes,
                     "Each chain's slope outside the limit, per tick.", nb::rv_policy::move)
        .def_prop_ro("choices", &NetworkChainsHandle::choices,
                     "Each chain's network: families (chains, variables).", nb::rv_policy::move)
        .def("best", &NetworkChainsHandle::best,
             "The fewest ticks that any chain has met, and the families of that network.")
        .def("put", &NetworkChainsHandle::put, "chain"_a, "choice"_a,
             "Continue a chain from this acyclic network.")
        .def("anneal", &NetworkChainsHandle::anneal, "begin"_a, "slopes"_a, "threads"_a,
             "cancellation"_a,
             "Run all chains from `begin` on through slopes, a sweep each, without a limit.")
        .def("warm_up", &NetworkChainsHandle::warm_up, "limit"_a, "inner"_a, "most"_a, "sweeps"_a,
             "threads"_a, "cancellation"_a,
             "Run all chains, and adapt their slopes outside the limit, up to `most`.")
        .def("draw", &NetworkChainsHandle::draw, "limit"_a, "inner"_a, "stop_below"_a, "wanted"_a,
             "spacing"_a, "most_visits"_a, "threads"_a, "cancellation"_a,
             "Draw networks inside the limit, one after every `spacing` sweeps that end there.");
}

}  // namespace noisyor
