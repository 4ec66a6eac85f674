#pragma once

#include <napi.h>

#include "render-limits.h"

#include <memory>

// JavaScript's handle of one request's renderings.
class Rendering : public Napi::ObjectWrap<Rendering> {
  public:
    static Napi::Function define(Napi::Env env);
    // Returns the limits of a handle. `undefined` gets new default limits.
    static std::shared_ptr<RenderLimits> from(const Napi::Value & value);

    explicit Rendering(const Napi::CallbackInfo & info);

  private:
    Napi::Value cancel(const Napi::CallbackInfo & info);

    std::shared_ptr<RenderLimits> limits_;
};
