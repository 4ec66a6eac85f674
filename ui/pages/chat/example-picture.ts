import type { Picture } from './conversation.ts'
import { readPicture } from './read-picture.ts'

/** Bars of the chart by colour, with their height from 0 to 1: plain shapes that also a tiny model knows */
const bars = [
  ['#d62728', 0.45],
  ['#1f77b4', 0.85],
  ['#2ca02c', 0.25],
] as const

const side = 384

/** Draws a chart of three bars, the blue one being the highest. */
export async function drawExample(): Promise<Picture> {
  const canvas = document.createElement('canvas')
  canvas.width = side
  canvas.height = side
  const context = canvas.getContext('2d')
  if (context === null) throw new Error('this browser draws nothing')
  context.fillStyle = '#ffffff'
  context.fillRect(0, 0, side, side)
  const width = side / (2 * bars.length + 1)
  for (const [index, [colour, height]] of bars.entries()) {
    context.fillStyle = colour
    context.fillRect((2 * index + 1) * width, side * (0.95 - 0.9 * height), width, side * 0.9 * height)
  }
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'))
  if (blob === null) throw new Error('this browser makes no picture')
  return readPicture(new File([blob], 'chart.png'), undefined)
}
