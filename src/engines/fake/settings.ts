/** The fake engine's settings: those that make the engine, and the server in front of it, behave like a chat engine. */
import type { Values } from '../../core/setting.ts'
import { sharedSettings } from '../shared/shared-settings.ts'

export const fakeSettings = {
  parallel: sharedSettings.parallel,
  'context-tokens': sharedSettings['context-tokens'],
  'max-waiting': sharedSettings['max-waiting'],
  'keep-alive': sharedSettings['keep-alive'],
}

export type FakeSettings = Values<typeof fakeSettings>
