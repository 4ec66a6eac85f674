#pragma once

#include <napi.h>

#include "render-limits.h"

#include <memory>

// JavaScript's handle for all renderings of one request.
class Rendering : public Napi::ObjectWrap<Rendering> {
  public:
    static Napi::Function define(Napi::Env env);
    // `undefined` gets separate default limits.
    static std::shared_ptr<RenderLimits> from(const Napi::Value & value);

    explicit Rendering(const Napi::CallbackInfo & info);

  private:
    Napi::Value cancel(const Napi::CallbackInfo & info);

    std::shared_ptr<RenderLimits> limits_;
};
