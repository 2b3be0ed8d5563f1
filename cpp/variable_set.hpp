// Sets of variables, and records, as bits in 64-bit words: one, two, four or sixteen. A record of
// variables with many states may need more than the set of them: up to sixty-four.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace noisyor {

using Word = std::uint64_t;
inline constexpr int kWordBits = 64;
inline constexpr int kMaxVariables = 1024;
inline constexpr int kMaxRecordBits = 4096;

// Bits in words. `Self` gives their meaning, so that the compiler distinguishes sets and records.
template <int W, class Self>
struct BitWords {
    static_assert(std::has_single_bit(static_cast<unsigned>(W)));
    std::array<Word, W> words{};

    static Self load(const Word* from, std::size_t word_count = W) {
        Self bits;
        for (std::size_t i = 0; i < word_count; ++i) bits.words[i] = from[i];
        return bits;
    }
    void store(Word* to) const {
        for (int i = 0; i < W; ++i) to[i] = words[i];
    }

    void insert(int v) { words[v / kWordBits] |= Word{1} << (v % kWordBits); }
    void erase(int v) { words[v / kWordBits] &= ~(Word{1} << (v % kWordBits)); }
    bool contains(int v) const { return (words[v / kWordBits] >> (v % kWordBits)) & 1; }
    bool empty() const {
        Word any = 0;
        for (Word w : words) any |= w;
        return any == 0;
    }
    int size() const {
        int n = 0;
        for (Word w : words) n += std::popcount(w);
        return n;
    }
    template <class F>
    void for_each(F&& f) const {
        for (int i = 0; i < W; ++i) {
            for (Word w = words[i]; w != 0; w &= w - 1) f(i * kWordBits + std::countr_zero(w));
        }
    }

    friend bool operator==(const Self& a, const Self& b) {
        Word differing = 0;
        for (int i = 0; i < W; ++i) differing |= a.words[i] ^ b.words[i];
        return differing == 0;
    }
    // Numeric order, the highest word first.
    friend bool operator<(const Self& a, const Self& b) {
        for (int i = W - 1; i > 0; --i) {
            if (a.words[i] != b.words[i]) return a.words[i] < b.words[i];
        }
        return a.words[0] < b.words[0];
    }

    std::size_t hash() const {
        Word h = 0;
        for (Word w : words) {
            h = (h ^ w) * 0x9e3779b97f4a7c15ULL;
            h ^= h >> 32;
        }
        return static_cast<std::size_t>(h);
    }

  protected:
    template <class Other>
    bool shares(const Other& other) const {
        Word common = 0;
        for (int i = 0; i < W; ++i) common |= words[i] & other.words[i];
        return common != 0;
    }
};

template <int W>
struct VariableSet : BitWords<W, VariableSet<W>> {
    static VariableSet single(int variable) {
        VariableSet s;
        s.insert(variable);
        return s;
    }
    // The variables 0 .. count - 1.
    static VariableSet below(int count) {
        VariableSet s;
        for (int i = 0; i < W; ++i) {
            const int left = count - i * kWordBits;
            s.words[i] = left >= kWordBits ? ~Word{0} : left <= 0 ? 0 : (Word{1} << left) - 1;
        }
        return s;
    }

    bool is_subset_of(const VariableSet& other) const {
        Word outside = 0;
        for (int i = 0; i < W; ++i) outside |= this->words[i] & ~other.words[i];
        return outside == 0;
    }
    bool meets(const VariableSet& other) const { return this->shares(other); }
    // The least variable; the set must not be empty.
    int lowest() const {
        int i = 0;
        while (this->words[i] == 0) ++i;
        return i * kWordBits + std::countr_zero(this->words[i]);
    }

    friend VariableSet operator&(VariableSet a, const VariableSet& b) {
        for (int i = 0; i < W; ++i) a.words[i] &= b.words[i];
        return a;
    }
    friend VariableSet operator|(VariableSet a, const VariableSet& b) {
        for (int i = 0; i < W; ++i) a.words[i] |= b.words[i];
        return a;
    }
    // Variables of a that are not in b.
    friend VariableSet operator-(VariableSet a, const VariableSet& b) {
        for (int i = 0; i < W; ++i) a.words[i] &= ~b.words[i];
        return a;
    }
};

// One record of the data: the columns that are 1 in it.
template <int W>
struct Record : BitWords<W, Record<W>> {
    // Whether one of these columns is 1.
    bool meets(const VariableSet<W>& columns) const { return this->shares(columns); }
    // The record with all other columns made 0.
    Record restricted_to(const VariableSet<W>& columns) const {
        Record r = *this;
        for (int i = 0; i < W; ++i) r.words[i] &= columns.words[i];
        return r;
    }
    // The columns that are 1.
    VariableSet<W> ones() const { return VariableSet<W>::load(this->words.data()); }
};

// The words of a set of variables in arrays: one, two, four or sixteen.
inline std::size_t set_words(int variables) {
    for (const std::size_t words : {1, 2, 4}) {
        if (variables <= static_cast<int>(words) * kWordBits) return words;
    }
    return 16;
}

// Calls f with the narrowest set type, as VariableSet<W>{}, that holds `word_count` words, at most
// sixteen.
template <class F>
decltype(auto) with_set_type(std::size_t word_count, F&& f) {
    if (word_count <= 1) return f(VariableSet<1>{});
    if (word_count <= 2) return f(VariableSet<2>{});
    if (word_count <= 4) return f(VariableSet<4>{});
    return f(VariableSet<16>{});
}

// The same for records and sets of the same width, which hold `bits` bits, at most kMaxRecordBits.
template <class F>
decltype(auto) with_record_type(std::size_t bits, F&& f) {
    const std::size_t words = (bits + kWordBits - 1) / kWordBits;
    if (words <= 16) return with_set_type(words, f);
    return f(VariableSet<64>{});
}

}  // namespace noisyor
