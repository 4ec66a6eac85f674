import { afterAll, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readAmdFigures } from './amd-figures.ts'
import { nvidiaSampler, parseFigures } from './nvidia-figures.ts'
import { machineSampler } from './sample-machine.ts'

const folder = mkdtempSync('/tmp/inferd-figures-')
afterAll(() => rmSync(folder, { recursive: true }))
const mebibyte = 2 ** 20

const devices = `GPU-aaaa-1, NVIDIA H100 80GB HBM3, 81559, 60000, 87, 61, 412.53
GPU-bbbb-2, Tesla T4, 15360, 15000, [N/A], 40, [Not Supported]
`
const processes = `GPU-aaaa-1, 100, 20000
GPU-aaaa-1, 200, 500
GPU-bbbb-2, 300, [N/A]
`

test('tells memory, load, temperature, power, and the memory of each process', () => {
  expect(parseFigures(devices, processes)).toEqual([
    {
      uuid: 'GPU-aaaa-1',
      name: 'NVIDIA H100 80GB HBM3',
      kind: 'nvidia',
      totalBytes: 81_559 * mebibyte,
      freeBytes: 60_000 * mebibyte,
      loadPercent: 87,
      temperatureC: 61,
      powerW: 412.53,
      processBytes: new Map([
        [100, 20_000 * mebibyte],
        [200, 500 * mebibyte],
      ]),
    },
    {
      uuid: 'GPU-bbbb-2',
      name: 'Tesla T4',
      kind: 'nvidia',
      totalBytes: 15_360 * mebibyte,
      freeBytes: 15_000 * mebibyte,
      loadPercent: undefined,
      temperatureC: 40,
      powerW: undefined,
      processBytes: new Map(),
    },
  ])
})

test('numbers that no device can have are unknown', () => {
  const [figures] = Object(parseFigures('GPU-a, NVIDIA H200, 1000, 2000, 65535, 999999, 99999.9\n', ''))
  expect(figures).toMatchObject({ totalBytes: 1000 * 2 ** 20, freeBytes: undefined, loadPercent: undefined })
  expect(figures).toMatchObject({ temperatureC: undefined, powerW: undefined })
})

test('an error message instead of figures leaves the devices unknown', () => {
  expect(parseFigures('Unable to determine the device handle for GPU 0000:01:00.0: GPU is lost\n', '')).toBe('unknown')
})

test('devices are numbered as engines see them', async () => {
  const program = join(folder, 'nvidia-smi')
  writeFileSync(
    program,
    `#!/bin/sh\ncase "$1" in *gpu=*) cat <<'END'\n${devices}END\n;; *) cat <<'END'\n${processes}END\n;; esac\n`,
  )
  chmodSync(program, 0o755)
  const sample = nvidiaSampler({ path: folder, environment: { CUDA_VISIBLE_DEVICES: '1,0' } })
  expect(await sample()).toMatchObject([
    { id: 'gpu0', name: 'Tesla T4' },
    { id: 'gpu1', name: 'NVIDIA H100 80GB HBM3' },
  ])
})

test('a driver that hangs leaves the devices unknown after 3 seconds', async () => {
  const program = join(folder, 'nvidia-smi')
  writeFileSync(program, '#!/bin/sh\nexec sleep 60\n')
  const startedMs = performance.now()
  expect(await nvidiaSampler({ path: folder, environment: {} })()).toBe('unknown')
  expect(performance.now() - startedMs).toBeLessThan(4_500)
})

test('AMD’s devices are read from the kernel’s files; those without memory of their own are left out', () => {
  const files: Readonly<Record<string, string>> = {
    'card1/device/vendor': '0x1002\n',
    'card1/device/product_name': 'AMD Radeon PRO W7900\n',
    'card1/device/mem_info_vram_total': '48301604864\n',
    'card1/device/mem_info_vram_used': '301604864\n',
    'card1/device/gpu_busy_percent': '12\n',
    'card1/device/hwmon/hwmon4/temp1_input': '43000\n',
    'card1/device/hwmon/hwmon4/power1_average': '61500000\n',
    'card0/device/vendor': '0x1002\n',
    'card0/device/mem_info_vram_total': '536870912\n',
    'card2/device/vendor': '0x8086\n',
    'renderD128/device/vendor': '0x1002\n',
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, 'drm', path)), { recursive: true })
    writeFileSync(join(folder, 'drm', path), text)
  }
  expect(readAmdFigures(join(folder, 'drm'))).toEqual([
    {
      id: 'gpu0',
      uuid: join(folder, 'drm/card1/device'),
      name: 'AMD Radeon PRO W7900',
      kind: 'amd',
      totalBytes: 48_301_604_864,
      freeBytes: 48_000_000_000,
      loadPercent: 12,
      temperatureC: 43,
      powerW: 61.5,
      processBytes: new Map(),
    },
  ])
  expect(readAmdFigures(join(folder, 'nothing'))).toEqual([])
})

test('looks at this machine', async () => {
  const { host, processes: own, disk } = await machineSampler({ environment: {}, dataDir: folder })([process.pid])
  expect(own.get(process.pid)?.residentBytes).toBeGreaterThan(10 * mebibyte)
  expect(host?.freeBytes).toBeLessThan(host?.totalBytes ?? 0)
  expect(disk?.freeBytes).toBeLessThan(disk?.totalBytes ?? 0)
})
