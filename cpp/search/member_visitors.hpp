// What is done with the leaves of a walk, except counting.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "search/members.hpp"

namespace noisyor {

struct NoMarks {
    void enter(int) {}
    void leave(int, const std::vector<Decision>&) {}
    bool skips(int) const { return false; }
    template <class Walk>
    void frontier(const Walk&) {}
};

// Splits the walk into subtrees: the same ones for any number of threads.
template <int W>
class TaskVisitor : public NoMarks {
  public:
    bool leaf(const MemberWalk<W>& walk) {
        tasks.push_back(walk.path());
        return true;
    }
    void frontier(const MemberWalk<W>& walk) {
        tasks.push_back(walk.path());
        deeper = true;
    }

    std::vector<std::vector<Branching>> tasks;
    bool deeper = false;  // whether some task is not a leaf
};

// Calls f(choice, ticks) for every member below.
template <int W, class F>
class EachVisitor : public NoMarks {
  public:
    EachVisitor(const MemberProblem<W>& problem, F f) : problem_(problem), f_(std::move(f)) {}
    bool leaf(const MemberWalk<W>& walk) {
        return !product_.build(walk, problem_, problem_.limit) || product_.for_each(f_);
    }

  private:
    const MemberProblem<W>& problem_;
    F f_;
    LeafProduct<W> product_;
};

struct Candidate {
    Ticks ticks;
    std::vector<std::uint32_t> choice;

    bool operator<(const Candidate& other) const {
        return ticks != other.ticks ? ticks < other.ticks : choice < other.choice;
    }
};

// Keeps the least members; what is no less than the worst of a full heap, anyone's, is passed by.
template <int W>
class BestVisitor : public NoMarks {
  public:
    BestVisitor(const MemberProblem<W>& problem, std::size_t most, MemberWalk<W>& walk,
                std::atomic<Ticks>& bound, const std::atomic<bool>& cancelled)
        : problem_(problem), most_(most), walk_(walk), bound_(bound), cancelled_(cancelled) {}

    void enter(int) { walk_.tighten(problem_.limit - bound_.load(std::memory_order_relaxed)); }

    bool leaf(const MemberWalk<W>& walk) {
        if (!product_.build(walk, problem_, bound_.load(std::memory_order_relaxed))) return true;
        choice_ = product_.choice();
        return visit(0, product_.base());
    }

    std::vector<Candidate> heap;  // the worst in front

  private:
    // Adds the choices from list i on; the bound falls on the way. False if cancelled: a leaf may
    // have many that are better than the worst so far.
    bool visit(std::size_t i, Ticks ticks) {
        if (i == product_.size()) {
            add(choice_, ticks);
            return !cancelled_.load(std::memory_order_relaxed);
        }
        const LeafList& list = product_.list(i);
        for (std::size_t j = 0; j < list.excess.size(); ++j) {
            if (ticks + list.excess[j] > bound_.load(std::memory_order_relaxed)) break;
            choice_[list.child] = list.families[j];
            if (!visit(i + 1, ticks + list.excess[j])) return false;
        }
        choice_[list.child] = list.families[0];
        return true;
    }

    void add(const std::vector<std::uint32_t>& choice, Ticks ticks) {
        if (ticks > bound_.load(std::memory_order_relaxed)) return;
        Candidate candidate{ticks, choice};
        if (heap.size() == most_) {
            if (!(candidate < heap.front())) return;
            std::pop_heap(heap.begin(), heap.end());
            heap.pop_back();
        }
        heap.push_back(std::move(candidate));
        std::push_heap(heap.begin(), heap.end());
        if (heap.size() < most_) return;
        // As many as wanted are at most this: others of the same ticks are no better.
        const Ticks worth = heap.front().ticks - 1;
        Ticks seen = bound_.load();
        while (worth < seen && !bound_.compare_exchange_weak(seen, worth)) {
        }
    }

    const MemberProblem<W>& problem_;
    std::size_t most_;
    MemberWalk<W>& walk_;
    std::atomic<Ticks>& bound_;
    const std::atomic<bool>& cancelled_;
    LeafProduct<W> product_;
    std::vector<std::uint32_t> choice_;
};

// Looks for one member.
template <int W>
class FirstVisitor : public NoMarks {
  public:
    explicit FirstVisitor(const MemberProblem<W>& problem) : problem_(problem) {}

    bool leaf(const MemberWalk<W>& walk) {
        found = product_.build(walk, problem_, problem_.limit);
        if (found) choice = product_.choice();
        return !found;
    }

    bool found = false;
    std::vector<std::uint32_t> choice;

  private:
    const MemberProblem<W>& problem_;
    LeafProduct<W> product_;
};

// Looks for one member, and marks what all the members in its leaf have.
template <int W>
class UsedVisitor : public NoMarks {
  public:
    UsedVisitor(const MemberProblem<W>& problem, std::vector<std::atomic<std::uint8_t>>& used)
        : problem_(problem), used_(used) {}

    bool leaf(const MemberWalk<W>& walk) {
        if (!product_.build(walk, problem_, problem_.limit)) return true;
        for (std::uint32_t family : product_.choice()) used_[family] = kUsed;
        for (std::size_t i = 0; i < product_.size(); ++i) {
            for (std::uint32_t family : product_.list(i).families) used_[family] = kUsed;
        }
        return false;
    }

  private:
    const MemberProblem<W>& problem_;
    std::vector<std::atomic<std::uint8_t>>& used_;
    LeafProduct<W> product_;
};

}  // namespace noisyor
