#include "codec/aes.h"

#include <openssl/err.h>
#include <openssl/evp.h>

#include <algorithm>
#include <memory>

namespace fastpipe {
namespace {

constexpr size_t kMaxNonceBytes = 128;
constexpr size_t kMinTagBytes = 12;         // shorter tags are too easily forged
constexpr size_t kPiece = size_t{1} << 30;  // libcrypto counts with int

struct FreeContext {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_CIPHER_CTX, FreeContext>;

// A failure leaves its story in a queue of the thread, where others would find it.
Status LibraryFailure() {
  ERR_clear_error();
  return Internal("AES: libcrypto refused");
}

const uint8_t* Data(std::string_view bytes) {
  return reinterpret_cast<const uint8_t*>(bytes.data());
}

// One of three ciphers, by the length of the key.
struct Ciphers {
  const EVP_CIPHER* by_128;
  const EVP_CIPHER* by_192;
  const EVP_CIPHER* by_256;
};

// Looking a cipher up takes libcrypto's locks, so it is done once; they live as long as the
// process.
const Ciphers& Gcm() {
  static const Ciphers ciphers = {EVP_CIPHER_fetch(nullptr, "AES-128-GCM", nullptr),
                                  EVP_CIPHER_fetch(nullptr, "AES-192-GCM", nullptr),
                                  EVP_CIPHER_fetch(nullptr, "AES-256-GCM", nullptr)};
  return ciphers;
}

const Ciphers& Ctr() {
  static const Ciphers ciphers = {EVP_CIPHER_fetch(nullptr, "AES-128-CTR", nullptr),
                                  EVP_CIPHER_fetch(nullptr, "AES-192-CTR", nullptr),
                                  EVP_CIPHER_fetch(nullptr, "AES-256-CTR", nullptr)};
  return ciphers;
}

Result<const EVP_CIPHER*> Choose(const Ciphers& ciphers, std::string_view key) {
  const EVP_CIPHER* chosen = nullptr;
  switch (key.size()) {
    case 16:
      chosen = ciphers.by_128;
      break;
    case 24:
      chosen = ciphers.by_192;
      break;
    case 32:
      chosen = ciphers.by_256;
      break;
    default:
      return InvalidArgument(StrCat("an AES key has 16, 24 or 32 bytes, got ", key.size()));
  }
  if (chosen == nullptr) return LibraryFailure();
  return chosen;
}

bool Update(EVP_CIPHER_CTX* context, std::string_view input, uint8_t* output) {
  while (!input.empty()) {
    const std::string_view piece = input.substr(0, kPiece);
    int written = 0;
    if (EVP_DecryptUpdate(context, output, &written, Data(piece), static_cast<int>(piece.size())) !=
        1) {
      return false;
    }
    input.remove_prefix(piece.size());
    if (output != nullptr) output += piece.size();
  }
  return true;
}

}  // namespace

Status DecryptAesGcm(const GcmInput& input, uint8_t* plaintext) {
  FASTPIPE_ASSIGN(const EVP_CIPHER* cipher, Choose(Gcm(), input.key));
  if (input.nonce.empty() || input.nonce.size() > kMaxNonceBytes) {
    return InvalidArgument(StrCat("the nonce must have from 1 to ", kMaxNonceBytes, " bytes, got ",
                                  input.nonce.size()));
  }
  if (input.tag.size() < kMinTagBytes || input.tag.size() > kGcmTagBytes) {
    return InvalidArgument(StrCat("the tag must have from 12 to 16 bytes, got ", input.tag.size()));
  }
  const Context context(EVP_CIPHER_CTX_new());
  if (context == nullptr) return Status(Code::kResourceExhausted, "no memory to decrypt with");
  uint8_t tag[kGcmTagBytes];
  std::copy(input.tag.begin(), input.tag.end(), tag);
  const bool ready = EVP_DecryptInit_ex2(context.get(), cipher, nullptr, nullptr, nullptr) == 1 &&
                     EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_SET_IVLEN,
                                         static_cast<int>(input.nonce.size()), nullptr) == 1 &&
                     EVP_DecryptInit_ex2(context.get(), nullptr, Data(input.key), Data(input.nonce),
                                         nullptr) == 1 &&
                     Update(context.get(), input.associated_data, nullptr) &&
                     Update(context.get(), input.ciphertext, plaintext) &&
                     EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_SET_TAG,
                                         static_cast<int>(input.tag.size()), tag) == 1;
  if (!ready) return LibraryFailure();
  int written = 0;
  uint8_t rest[kAesBlockBytes];
  if (EVP_DecryptFinal_ex(context.get(), rest, &written) == 1) return Status::Ok();
  ERR_clear_error();
  std::fill_n(plaintext, input.ciphertext.size(), uint8_t{0});
  return DataLoss(
      "the tag does not match: the key, the nonce or the associated data are others, or the data "
      "have been changed");
}

Status DecryptAesCtr(std::string_view key, std::string_view counter, std::string_view ciphertext,
                     uint8_t* plaintext) {
  FASTPIPE_ASSIGN(const EVP_CIPHER* cipher, Choose(Ctr(), key));
  if (counter.size() != kAesBlockBytes) {
    return InvalidArgument(StrCat("the counter block must have 16 bytes, got ", counter.size()));
  }
  const Context context(EVP_CIPHER_CTX_new());
  if (context == nullptr) return Status(Code::kResourceExhausted, "no memory to decrypt with");
  const bool good =
      EVP_DecryptInit_ex2(context.get(), cipher, Data(key), Data(counter), nullptr) == 1 &&
      Update(context.get(), ciphertext, plaintext);
  return good ? Status::Ok() : LibraryFailure();
}

}  // namespace fastpipe
