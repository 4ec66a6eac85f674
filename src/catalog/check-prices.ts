import { freePricing, type ModelManifest, type ModelType, type Pricing } from '../core/model.ts'
import { nanoToDecimal } from '../core/money.ts'

/**
 * Returns the problem with a model's prices, undefined if none. The type decides unit and fields, the licence whether
 * it may cost anything.
 */
export function pricesProblem(
  { type, noncommercial }: Pick<ModelManifest, 'type' | 'noncommercial'>,
  pricing: Pricing,
): string | undefined {
  return formProblem(type, pricing) ?? (noncommercial === true ? licenseProblem(pricing) : undefined)
}

function licenseProblem({ unit, ...prices }: Pricing): string | undefined {
  if (Object.values(prices).every((price) => price === undefined || price === 0)) return undefined
  const advice = 'set them to 0, or say noncommercial = false in a manifest of your own if you have another licence'
  return `the licence forbids to take money for this model, so it cannot have prices: ${advice}`
}

function formProblem(type: ModelType, pricing: Pricing): string | undefined {
  const { inputNanoUsd, cachedInputNanoUsd, outputNanoUsd, priceNanoUsd, unit } = pricing
  const usual = freePricing[type]
  const model = `${article(type)} ${type} model`
  if (unit !== usual.unit) return `the unit of ${model} must be "${usual.unit}", not "${unit}"`
  if (usual.priceNanoUsd !== undefined) {
    const hasOthers = inputNanoUsd !== undefined || outputNanoUsd !== undefined || cachedInputNanoUsd !== undefined
    return priceNanoUsd === undefined || hasOthers ? `${model} has one price, and no input or output` : undefined
  }
  if (priceNanoUsd !== undefined || inputNanoUsd === undefined || outputNanoUsd === undefined) {
    return `${model} has input and output (and cached_input where it differs), and no price`
  }
  if (cachedInputNanoUsd === undefined || cachedInputNanoUsd <= inputNanoUsd) return undefined
  const [cached, input] = [nanoToDecimal(cachedInputNanoUsd), nanoToDecimal(inputNanoUsd)]
  return `cached_input (${cached}) must not be above input (${input})`
}

function article(type: ModelType): string {
  return ['embedding', 'stt', 'image'].includes(type) ? 'an' : 'a'
}
