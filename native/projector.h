#pragma once

#include <napi.h>

#include "picture-encoder.h"
#include "projector-loader.h"

#include <map>
#include <optional>

// Finds the places of pictures and sounds in a prompt, and encodes them. Each call runs on a separate thread.
class Projector : public Napi::ObjectWrap<Projector> {
  public:
    static Napi::Function define(Napi::Env env);

    // Called only by `loadProjector`.
    explicit Projector(const Napi::CallbackInfo & info);

  private:
    Napi::Value tokenize(const Napi::CallbackInfo & info);
    Napi::Value prepare(const Napi::CallbackInfo & info);
    Napi::Value drop(const Napi::CallbackInfo & info);
    Napi::Value encode(const Napi::CallbackInfo & info);
    Napi::Value memoryBreakdown(const Napi::CallbackInfo & info);
    Napi::Value close(const Napi::CallbackInfo & info);

    Napi::Value keep(Napi::Env env, const SharedPicture & picture);
    std::vector<SharedPicture> picturesArg(const Napi::Value & value) const;
    void refuseIfClosed() const;
    void leave();
    void release();

    SharedProjector projector_;
    std::string marker_;
    std::map<uint32_t, SharedPicture> prepared_; // by number
    uint32_t last_number_ = 0;
    int running_ = 0;
    bool encoding_ = false;
    std::optional<Napi::Promise::Deferred> closing_;
};
