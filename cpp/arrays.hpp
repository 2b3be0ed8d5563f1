// How arrays cross between Python and the kernels: read-only views in, owned arrays out.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <initializer_list>
#include <utility>
#include <vector>

namespace noisyor {

namespace nb = nanobind;

template <class T>
using Vector1 = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T, std::size_t Dims>
using Owned = nb::ndarray<nb::numpy, T, nb::ndim<Dims>>;

template <class T, std::size_t Dims>
using View = nb::ndarray<nb::numpy, const T, nb::ndim<Dims>>;

// A vector as a read-only array; the object that has it lives as long as the array does.
template <class T, std::size_t Dims = 1>
View<T, Dims> view_of(const std::vector<T>& values, std::initializer_list<std::size_t> shape,
                      nb::handle owner) {
    return View<T, Dims>(values.data(), shape, owner);
}

// Hands a vector's memory to numpy without copying it.
template <class T, std::size_t Dims = 1>
Owned<T, Dims> to_numpy(std::vector<T>&& values, std::initializer_list<std::size_t> shape) {
    auto* owner = new std::vector<T>(std::move(values));
    nb::capsule release(owner, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Owned<T, Dims>(owner->data(), shape, release);
}

template <class T>
Owned<T, 1> to_numpy(std::vector<T>&& values) {
    const std::size_t size = values.size();
    return to_numpy<T, 1>(std::move(values), {size});
}

// A getter for a property of a bound struct: a copy of one of its vectors, as an array.
template <class Struct, class T>
auto array_of(std::vector<T> Struct::* field) {
    return [field](const Struct& one) { return to_numpy(std::vector<T>(one.*field)); };
}

}  // namespace noisyor
