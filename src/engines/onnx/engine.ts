import type { LoadEncodeEngine } from '../engine.ts'

export const loadOnnxEngine: LoadEncodeEngine = async () => {
  throw new Error('not yet')
}
