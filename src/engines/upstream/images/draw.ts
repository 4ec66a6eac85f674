/** Makes pictures at upstream servers. */

import type { DrawnImage, DrawRequest } from '../../../core/draw.ts'
import { ApiError } from '../../../core/errors.ts'
import { isObject, type JsonObject } from '../../../core/json.ts'
import { nothingConsumed } from '../../../core/usage.ts'
import { flavors } from '../flavors.ts'
import { malformedAnswer, UpstreamFailure } from '../http/failure.ts'
import type { HttpLimits } from '../http/request.ts'
import { requestJson } from '../http/request-json.ts'
import type { PrepareWork, WorkContext } from '../work/upstream-work.ts'

/** Most bytes of a picture in base64, and of an answer. */
const pictureBytes = 16 * 1024 * 1024
const answerBytes = 64 * 1024 * 1024

/** Time for a picture as a multiple of the usual time until a first event: there are no events to wait for. */
const patience = 5

/** Beginnings of PNG, JPEG and WebP files in base64. */
const pictureStart = /^(iVBORw0KGgo|\/9j\/|UklGR)/

/** Models that refuse the field `response_format`, as they know no other than base64. */
const answersBase64Alone = /(^|\/)(chatgpt|gpt)-image\b/

export const prepareDraw: PrepareWork<'draw'> = (request, context) => {
  const { count } = request
  const all = { ...nothingConsumed, images: count }
  return {
    estimate: { least: all, most: all },
    prefix: '',
    run: (link) =>
      link.call(async (endpoint) => {
        const { limits, ...to } = endpoint.to('/images/generations')
        const body = drawBody(request, context)
        const limitBytes = Math.min(count * pictureBytes, answerBytes) + 64 * 1024
        const answer = await requestJson({ ...to, limits: patient(limits), method: 'POST', body }, limitBytes).catch(
          (error: unknown) => {
            throw asRefused(error, context)
          },
        )
        const images = readImages(answer).slice(0, count)
        // A server may make fewer pictures than it was asked for.
        link.used({ ...nothingConsumed, images: images.length })
        endpoint.emit(images)
      }),
  }
}

function drawBody({ prompt, count, options }: DrawRequest, { modelThere }: WorkContext): JsonObject {
  const form = answersBase64Alone.test(modelThere) ? {} : { response_format: 'b64_json' }
  return { model: modelThere, prompt, n: count, ...options, ...form }
}

function patient(limits: HttpLimits): HttpLimits {
  return { ...limits, firstByteMs: Math.min(patience * limits.firstByteMs, limits.totalMs) }
}

/** Returns the pictures of an answer. Throws UpstreamFailure if there are none, or one is something else. */
function readImages(answer: unknown): readonly DrawnImage[] {
  const data: unknown = isObject(answer) ? answer.data : undefined
  if (!Array.isArray(data) || data.length === 0) throw malformedAnswer('without a picture')
  return data.map((entry: unknown) => {
    const { b64_json: base64, revised_prompt: usedPrompt } = isObject(entry) ? entry : {}
    if (typeof base64 !== 'string' || !pictureStart.test(base64)) throw malformedAnswer('something that is no picture')
    return { type: 'image', base64, ...(typeof usedPrompt === 'string' && { usedPrompt }) }
  })
}

/** Returns the client's error if a server rejects the prompt or a wish; other errors unchanged. */
function asRefused(error: unknown, { manifest, flavor }: WorkContext): unknown {
  const isRefusal = error instanceof UpstreamFailure && (error.status === 400 || error.status === 422)
  if (!isRefusal || flavors[flavor].isInferd) return error
  const message =
    `The server of model '${manifest.id}' does not make this picture: it refuses the prompt, or a field such as ` +
    "'size' or 'quality'. Change the prompt, or leave the other fields out."
  return new ApiError('invalid_request', message, { code: 'image_refused' })
}
