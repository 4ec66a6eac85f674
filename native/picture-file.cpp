#include "picture-file.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <malloc.h>
#include <memory>

namespace {

// Used memory and limit of the decoder on this thread, since a small file can expand to any size.
thread_local size_t held_bytes = 0;
thread_local size_t limit_bytes = 0;

bool take(size_t bytes) {
    if (bytes > limit_bytes - std::min(held_bytes, limit_bytes)) return false;
    held_bytes += bytes;
    return true;
}

void give(void * block) {
    if (block != nullptr) held_bytes -= malloc_usable_size(block);
    std::free(block);
}

void * allocate(size_t bytes) {
    if (bytes > limit_bytes) return nullptr;
    void * block = std::malloc(bytes);
    if (block == nullptr || take(malloc_usable_size(block))) return block;
    std::free(block);
    return nullptr;
}

// Keeps the old block if there is not enough memory.
void * reallocate(void * old, size_t old_bytes, size_t bytes) {
    void * block = allocate(bytes);
    if (block == nullptr || old == nullptr) return block;
    std::memcpy(block, old, std::min(old_bytes, bytes));
    give(old);
    return block;
}

} // namespace

#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#define STBI_ONLY_GIF
#define STBI_ONLY_BMP
#define STBI_ONLY_PNM
#define STBI_NO_STDIO
#define STBI_FAILURE_USERMSG
#define STBI_MAX_DIMENSIONS 65535
#define STBI_MALLOC(bytes) allocate(bytes)
#define STBI_REALLOC_SIZED(block, old_bytes, bytes) reallocate(block, old_bytes, bytes)
#define STBI_REALLOC(block, bytes) reallocate(block, (block) == nullptr ? 0 : malloc_usable_size(block), bytes)
#define STBI_FREE(block) give(block)
#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#include "stb/stb_image.h"

namespace {

constexpr size_t MAX_PIXELS = size_t(1) << 28;

// Memory for tables of the decoders, and for files of few pixels.
constexpr size_t SPARE_BYTES = 4 << 20;

// Bytes per pixel: four channels of 16 bits, both compressed and decoded, and of 8 bits.
constexpr size_t DECODER_BYTES_PER_PIXEL = 24;

// Largest side of the blocks in which JPEG is decoded.
constexpr size_t BLOCK_SIDE = 32;

// Limit on passes over a progressive JPEG, each of which reads all pixels. Encoders make about ten, but a file could
// hold a million.
constexpr size_t MAX_PASSES = 100;

const std::string JPEG_SIGNATURE = "\xff\xd8\xff";
const std::initializer_list<std::string> SIGNATURES = {"\x89PNG\r\n\x1a\n", JPEG_SIGNATURE, "GIF87a", "GIF89a", "BM", "P5", "P6"};

std::vector<uint8_t> readFile(const std::string & path) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    const std::streamoff size = file ? static_cast<std::streamoff>(file.tellg()) : -1;
    if (size < 0) throw PictureError("the picture's file cannot be read: " + std::string(std::strerror(errno)));
    if (size > INT_MAX) throw PictureError("the file is too long for a picture");
    std::vector<uint8_t> bytes(size);
    file.seekg(0);
    if (!file.read(reinterpret_cast<char *>(bytes.data()), size)) throw PictureError("the picture's file cannot be read");
    return bytes;
}

bool startsWith(const std::vector<uint8_t> & bytes, const std::string & signature) {
    return bytes.size() >= signature.size() && std::equal(signature.begin(), signature.end(), bytes.begin(),
                                                          [](char one, uint8_t other) { return static_cast<uint8_t>(one) == other; });
}

size_t passes(const std::vector<uint8_t> & bytes) {
    constexpr uint8_t START_OF_SCAN[] = {0xff, 0xda};
    size_t count = 0;
    for (auto place = bytes.begin();; place += sizeof(START_OF_SCAN), count++) {
        place = std::search(place, bytes.end(), std::begin(START_OF_SCAN), std::end(START_OF_SCAN));
        if (place == bytes.end()) return count;
    }
}

size_t roundUp(size_t pixels) {
    return (pixels + BLOCK_SIDE - 1) / BLOCK_SIDE * BLOCK_SIDE;
}

// Detects reads beyond the end, since some decoders take zeros for missing bytes.
struct Reader {
    const std::vector<uint8_t> & bytes;
    size_t place = 0;
    bool ends_early = false;

    static int read(void * self, char * target, int count) {
        auto & reader = *static_cast<Reader *>(self);
        const size_t taken = std::min<size_t>(count, reader.bytes.size() - reader.place);
        std::memcpy(target, reader.bytes.data() + reader.place, taken);
        reader.place += taken;
        reader.ends_early = reader.ends_early || taken == 0;
        return static_cast<int>(taken);
    }

    static void skip(void * self, int count) {
        auto & reader = *static_cast<Reader *>(self);
        reader.place = std::clamp<int64_t>(static_cast<int64_t>(reader.place) + count, 0, reader.bytes.size());
    }

    static int isAtEnd(void * self) {
        const auto & reader = *static_cast<Reader *>(self);
        return reader.place == reader.bytes.size() ? 1 : 0;
    }
};

struct Freed {
    void operator()(stbi_uc * pixels) const { stbi_image_free(pixels); }
};

PictureError damaged() {
    const char * reason = stbi_failure_reason();
    return PictureError(std::string("the picture is damaged: ") + (reason == nullptr ? "no reason is known" : reason));
}

} // namespace

PictureFile::PictureFile(PictureSource source) : source_(std::move(source)), bytes_(readFile(source_.path)) {
    const bool is_known = std::any_of(SIGNATURES.begin(), SIGNATURES.end(),
                                      [this](const std::string & signature) { return startsWith(bytes_, signature); });
    if (!is_known) throw PictureError("the file is no PNG, JPEG, GIF, BMP or PPM picture");
    held_bytes = 0;
    limit_bytes = SPARE_BYTES;
    int channels = 0;
    if (stbi_info_from_memory(bytes_.data(), static_cast<int>(bytes_.size()), &stored_.width, &stored_.height, &channels) == 0) {
        throw PictureError("the picture's header is damaged, or has too many pixels");
    }
    const auto upright = uprightSize(stored_, source_.orientation);
    if (upright.width < source_.size.width || upright.height < source_.size.height) {
        throw PictureError("the picture has " + std::to_string(upright.width) + "x" + std::to_string(upright.height) +
                           " pixels, fewer than it should");
    }
    if (static_cast<size_t>(stored_.width) * stored_.height > MAX_PIXELS) throw PictureError("the picture has too many pixels");
    // In other formats the same bytes are pixels.
    if (startsWith(bytes_, JPEG_SIGNATURE) && passes(bytes_) > MAX_PASSES) throw PictureError("the picture has too many passes");
}

Pixels PictureFile::decode() const {
    held_bytes = 0;
    limit_bytes = SPARE_BYTES + 2 * bytes_.size() + roundUp(stored_.width) * roundUp(stored_.height) * DECODER_BYTES_PER_PIXEL;
    PixelSize size = {0, 0};
    int channels = 0;
    Reader reader = {bytes_};
    const stbi_io_callbacks calls = {Reader::read, Reader::skip, Reader::isAtEnd};
    std::unique_ptr<stbi_uc, Freed> rgba(stbi_load_from_callbacks(&calls, &reader, &size.width, &size.height, &channels, 4));
    if (reader.ends_early) throw PictureError("the picture is damaged: its file ends early");
    if (!rgba) throw damaged();
    if (!(size == stored_)) throw PictureError("the picture is damaged: it has another size than its header says");
    auto pixels = overWhite(rgba.get(), size);
    rgba.reset();
    // Shrinks before turning, which is less work.
    const auto target = uprightSize(source_.size, source_.orientation);
    return turnUpright(shrink(std::move(pixels), target), source_.orientation);
}
