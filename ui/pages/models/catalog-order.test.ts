import { expect, test } from 'bun:test'
import { catalogOrder } from './catalog-order.ts'
import type { ModelListed } from './model-state.ts'

const fit = (verdict: 'fits' | 'alone' | 'too-large') => ({
  ...{ verdict, pool: 'host', needBytes: 1, freeBytes: 1, heldBytes: 0 },
})
const model = (
  id: string,
  more: Partial<ModelListed> = {},
): { id: string; row: Parameters<typeof catalogOrder>[0][number]['row'] } => ({
  id,
  row: {
    ...{ purpose: 'chat', isRecommended: false, isInstalled: false, isCarried: false, fit: fit('fits') },
    ...more,
  },
})

test('models stand by purpose, and in each in the order in which one would take them', () => {
  const models = [
    model('large', { fit: fit('too-large') }),
    model('starter', { isCarried: true, isInstalled: true }),
    model('voice', { purpose: 'tts' }),
    model('first'),
    model('unknown', { fit: null }),
    model('here', { isInstalled: true }),
    model('best', { isRecommended: true }),
    model('speakers', { purpose: 'diarization' }),
    model('words', { purpose: 'stt' }),
  ]
  const ids = catalogOrder(models).map(({ id }) => id)
  expect(ids).toEqual(['best', 'here', 'first', 'unknown', 'large', 'starter', 'words', 'speakers', 'voice'])
})
