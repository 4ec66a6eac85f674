#include "projector.h"

#include "args.h"
#include "devices.h"
#include "mtmd-internals.h"
#include "promise-worker.h"
#include "prompt-pieces.h"

#include <algorithm>
#include <climits>
#include <functional>

namespace {

constexpr int32_t MAX_SIDE = 65535;
constexpr int32_t MAX_SAMPLES = 12 * 3600 * 16000;
constexpr int32_t MAX_THREADS = 512;

template <typename Array, typename Number> Array toTypedArray(Napi::Env env, const std::vector<Number> & numbers) {
    auto array = Array::New(env, numbers.size());
    std::copy(numbers.begin(), numbers.end(), array.Data());
    return array;
}

Napi::Object toObject(Napi::Env env, const PromptPiece & piece) {
    auto object = Napi::Object::New(env);
    object.Set("kind", piece.tokens.empty() ? "picture" : "tokens");
    if (!piece.tokens.empty()) {
        object.Set("tokens", toTypedArray<Napi::Int32Array>(env, piece.tokens));
        return object;
    }
    object.Set("picture", piece.picture);
    object.Set("part", piece.part);
    object.Set("entries", piece.entries);
    object.Set("positions", piece.positions);
    return object;
}

PixelSize sizeArg(const Napi::Value & value, const char * name) {
    const auto size = objectArg(value, name);
    return {field(size, "width", intArg, 1, MAX_SIDE), field(size, "height", intArg, 1, MAX_SIDE)};
}

size_t samplesArg(const Napi::Object & object) {
    return field(object, "samples", intArg, 1, MAX_SAMPLES);
}

MediumSize mediumSizeArg(const Napi::Value & value) {
    const auto object = objectArg(value, "size");
    if (object.Get("samples").IsUndefined()) return {sizeArg(value, "size")};
    return {{}, samplesArg(object)};
}

std::vector<MediumSize> sizesArg(const Napi::Value & value, const std::string & prompt, const std::string & marker) {
    const auto array = arrayArg(value, "sizes");
    std::vector<MediumSize> sizes;
    for (uint32_t i = 0; i < array.Length(); i++) sizes.push_back(mediumSizeArg(array.Get(i)));
    size_t markers = 0;
    for (size_t at = prompt.find(marker); at != std::string::npos; at = prompt.find(marker, at + marker.size())) markers++;
    if (markers != sizes.size()) {
        throwRange(value.Env(), "the prompt has " + std::to_string(markers) + " markers for " + std::to_string(sizes.size()) +
                                    " pictures and sounds");
    }
    return sizes;
}

MediumSource sourceArg(const Napi::Value & value) {
    const auto medium = objectArg(value, "picture or sound");
    const auto path = field(medium, "path", stringArg);
    if (!medium.Get("samples").IsUndefined()) return SoundSource{path, samplesArg(medium)};
    return PictureSource{path, field(medium, "orientation", intArg, 1, 8), sizeArg(medium.Get("size"), "size")};
}

Napi::Array toParts(Napi::Env env, const EncodedPicture & picture) {
    return toArray(env, picture, [env](const PictureEmbeddings & part) {
        auto result = Napi::Object::New(env);
        result.Set("embeddings", toTypedArray<Napi::Float32Array>(env, part.embeddings));
        result.Set("positions", toTypedArray<Napi::Int32Array>(env, part.positions));
        return result;
    });
}

// Returns the promise of `begin`, or one that is rejected with an error that it throws, so that asynchronous calls also
// reject invalid arguments.
Napi::Value promise(Napi::Env env, const std::function<Napi::Value()> & begin) {
    const auto reject = [env](Napi::Value reason) {
        const auto deferred = Napi::Promise::Deferred::New(env);
        deferred.Reject(reason);
        return deferred.Promise();
    };
    try {
        return begin();
    } catch (const Napi::Error & error) {
        return reject(error.Value());
    } catch (const std::exception & error) {
        return reject(Napi::Error::New(env, error.what()).Value());
    }
}

} // namespace

Napi::Function Projector::define(Napi::Env env) {
    return DefineClass(env, "Projector",
                       {InstanceMethod<&Projector::tokenize>("tokenize"), InstanceMethod<&Projector::prepare>("prepare"),
                        InstanceMethod<&Projector::drop>("drop"), InstanceMethod<&Projector::encode>("encode"),
                        InstanceMethod<&Projector::memoryBreakdown>("memoryBreakdown"),
                        InstanceMethod<&Projector::close>("close")});
}

Projector::Projector(const Napi::CallbackInfo & info) : Napi::ObjectWrap<Projector>(info) {
    if (!info[0].IsExternal()) throw Napi::TypeError::New(info.Env(), "projectors are made by loadProjector");
    projector_ = *info[0].As<Napi::External<SharedProjector>>().Data();
    marker_ = mtmd_get_marker(projector_->context);
    auto self = info.This().As<Napi::Object>();
    self.Set("marker", marker_);
    self.Set("seesImages", mtmd_support_vision(projector_->context));
    self.Set("isNonCausal", mtmd_decode_use_non_causal(projector_->context, nullptr));
    self.Set("hears", mtmd_internals::hears(projector_->context));
}

void Projector::refuseIfClosed() const {
    if (closing_) throw Napi::Error::New(Env(), "the projector is closed");
}

void Projector::leave() {
    running_--;
    if (closing_ && running_ == 0) release();
}

void Projector::release() {
    prepared_.clear();
    projector_.reset();
    closing_->Resolve(Env().Undefined());
}

Napi::Value Projector::tokenize(const Napi::CallbackInfo & info) {
    using Pieces = std::vector<PromptPiece>;
    return promise(info.Env(), [&] {
        refuseIfClosed();
        const auto prompt = stringArg(info[0], "prompt");
        const auto sizes = sizesArg(info[1], prompt, marker_);
        const auto work = [projector = projector_, prompt, sizes] {
            return promptPieces(projector->context, prompt, sizes, projector->sound_bytes);
        };
        const auto toPieces = [](Napi::Env env, Pieces & pieces) -> Napi::Value {
            return toArray(env, pieces, [env](const PromptPiece & piece) { return toObject(env, piece); });
        };
        const auto begun = PromiseWorker<Pieces>::run(info.This().As<Napi::Object>(), work, toPieces, [this] { leave(); });
        running_++;
        return begun;
    });
}

Napi::Value Projector::prepare(const Napi::CallbackInfo & info) {
    return promise(info.Env(), [&] {
        refuseIfClosed();
        const auto work = [projector = projector_, source = sourceArg(info[0])] {
            lowerThreadPriority();
            return preparePicture(projector->context, source);
        };
        const auto toResult = [this](Napi::Env env, SharedPicture & picture) { return keep(env, picture); };
        const auto begun = PromiseWorker<SharedPicture>::run(info.This().As<Napi::Object>(), work, toResult, [this] { leave(); });
        running_++;
        return begun;
    });
}

Napi::Value Projector::keep(Napi::Env env, const SharedPicture & picture) {
    auto object = Napi::Object::New(env);
    object.Set("kind", picture->error.empty() ? "ready" : "undecodable");
    if (!picture->error.empty()) {
        object.Set("message", picture->error);
        return object;
    }
    size_t bytes = 0;
    for (const auto * part : picture->parts()) bytes += mtmd_internals::inputBytes(part);
    prepared_[++last_number_] = picture;
    object.Set("number", last_number_);
    object.Set("bytes", static_cast<double>(bytes));
    object.Set("entries", toArray(env, picture->parts(), [env](const mtmd_input_chunk * part) {
                   return Napi::Number::New(env, static_cast<double>(mtmd_input_chunk_get_n_tokens(part)));
               }));
    return object;
}

Napi::Value Projector::drop(const Napi::CallbackInfo & info) {
    prepared_.erase(intArg(info[0], "number", 1, INT_MAX));
    return info.Env().Undefined();
}

std::vector<SharedPicture> Projector::picturesArg(const Napi::Value & value) const {
    const auto numbers = arrayArg(value, "pictures");
    if (numbers.Length() == 0) throwRange(value.Env(), "there must be a picture or sound");
    std::vector<SharedPicture> pictures;
    for (uint32_t i = 0; i < numbers.Length(); i++) {
        const auto found = prepared_.find(intArg(numbers.Get(i), "picture", 1, INT_MAX));
        if (found == prepared_.end()) throwRange(value.Env(), "nothing is prepared under this number");
        pictures.push_back(found->second);
    }
    return pictures;
}

Napi::Value Projector::encode(const Napi::CallbackInfo & info) {
    using Encoded = std::vector<EncodedPicture>;
    return promise(info.Env(), [&] {
        refuseIfClosed();
        if (encoding_) throw Napi::Error::New(info.Env(), "an encode is running");
        const auto pictures = picturesArg(info[0]);
        const int32_t threads = intArg(info[1], "threads", 1, MAX_THREADS);
        const auto work = [projector = projector_, pictures, threads] {
            mtmd_internals::setThreads(projector->context, threads);
            return encodePictures(projector->context, llama_model_n_embd_inp(projector->model.get()), pictures);
        };
        const auto toEncoded = [](Napi::Env env, Encoded & encoded) -> Napi::Value {
            return toArray(env, encoded, [env](const EncodedPicture & picture) { return toParts(env, picture); });
        };
        const auto end = [this] {
            encoding_ = false;
            leave();
        };
        const auto begun = PromiseWorker<Encoded>::run(info.This().As<Napi::Object>(), work, toEncoded, end);
        encoding_ = true;
        running_++;
        return begun;
    });
}

Napi::Value Projector::memoryBreakdown(const Napi::CallbackInfo & info) {
    refuseIfClosed();
    if (encoding_) throw Napi::Error::New(info.Env(), "an encode is running");
    return ::memoryBreakdown(info.Env(), mtmd_internals::memory(projector_->context));
}

Napi::Value Projector::close(const Napi::CallbackInfo & info) {
    if (!closing_) {
        closing_ = Napi::Promise::Deferred::New(info.Env());
        if (running_ == 0) release();
    }
    return closing_->Promise();
}
