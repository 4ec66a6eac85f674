/** Operator's settings of upstream models, besides their servers. */
import type { Values } from '../../core/setting.ts'
import { sharedSettings } from '../shared/shared-settings.ts'

export const upstreamSettings = {
  'max-waiting': sharedSettings['max-waiting'],
}

export type UpstreamSettings = Values<typeof upstreamSettings>
