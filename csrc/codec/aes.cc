#include "codec/aes.h"

#include <dlfcn.h>
#include <openssl/err.h>
#include <openssl/evp.h>

#include <algorithm>
#include <memory>

namespace fastpipe {
namespace {

constexpr size_t kMaxNonceBytes = 128;
constexpr size_t kMinTagBytes = 12;         // shorter tags are too easily forged
constexpr size_t kPiece = size_t{1} << 30;  // libcrypto counts with int

// The functions of libcrypto that are used, found by name at the first use. Linked in the usual way
// they would become those of another library in the process that exports the same names, such as
// TensorFlow's BoringSSL, or a mixture of both.
struct Library {
  bool complete = true;
  decltype(&EVP_CIPHER_fetch) fetch;
  decltype(&EVP_CIPHER_CTX_new) new_context;
  decltype(&EVP_CIPHER_CTX_free) free_context;
  decltype(&EVP_CIPHER_CTX_ctrl) control;
  decltype(&EVP_DecryptInit_ex2) init;
  decltype(&EVP_DecryptUpdate) update;
  decltype(&EVP_DecryptFinal_ex) finish;
  decltype(&ERR_clear_error) clear_errors;

  Library() {
    // Never closed: its memory may be in use until the process ends.
    void* handle = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      complete = false;
      return;
    }
    Find(handle, "EVP_CIPHER_fetch", &fetch);
    Find(handle, "EVP_CIPHER_CTX_new", &new_context);
    Find(handle, "EVP_CIPHER_CTX_free", &free_context);
    Find(handle, "EVP_CIPHER_CTX_ctrl", &control);
    Find(handle, "EVP_DecryptInit_ex2", &init);
    Find(handle, "EVP_DecryptUpdate", &update);
    Find(handle, "EVP_DecryptFinal_ex", &finish);
    Find(handle, "ERR_clear_error", &clear_errors);
  }

 private:
  template <typename Function>
  void Find(void* handle, const char* name, Function* function) {
    *function = reinterpret_cast<Function>(dlsym(handle, name));
    complete = complete && *function != nullptr;
  }
};

const Library& Crypto() {
  static const Library library;
  return library;
}

struct FreeContext {
  void operator()(EVP_CIPHER_CTX* context) const { Crypto().free_context(context); }
};
using Context = std::unique_ptr<EVP_CIPHER_CTX, FreeContext>;

// A failure leaves its story in a queue of the thread, where others would find it.
Status LibraryFailure() {
  Crypto().clear_errors();
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

Ciphers Fetch(const char* name_128, const char* name_192, const char* name_256) {
  const Library& crypto = Crypto();
  if (!crypto.complete) return {};
  return {crypto.fetch(nullptr, name_128, nullptr), crypto.fetch(nullptr, name_192, nullptr),
          crypto.fetch(nullptr, name_256, nullptr)};
}

// Looking a cipher up takes libcrypto's locks, so it is done once; they live as long as the
// process.
const Ciphers& Gcm() {
  static const Ciphers ciphers = Fetch("AES-128-GCM", "AES-192-GCM", "AES-256-GCM");
  return ciphers;
}

const Ciphers& Ctr() {
  static const Ciphers ciphers = Fetch("AES-128-CTR", "AES-192-CTR", "AES-256-CTR");
  return ciphers;
}

Result<const EVP_CIPHER*> Choose(const Ciphers& ciphers, std::string_view key) {
  if (!Crypto().complete) return Unimplemented("AES needs OpenSSL 3: there is no libcrypto.so.3");
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
    if (Crypto().update(context, output, &written, Data(piece), static_cast<int>(piece.size())) !=
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
  const Context context(Crypto().new_context());
  if (context == nullptr) return Status(Code::kResourceExhausted, "no memory to decrypt with");
  uint8_t tag[kGcmTagBytes];
  std::copy(input.tag.begin(), input.tag.end(), tag);
  const bool ready =
      Crypto().init(context.get(), cipher, nullptr, nullptr, nullptr) == 1 &&
      Crypto().control(context.get(), EVP_CTRL_AEAD_SET_IVLEN, static_cast<int>(input.nonce.size()),
                       nullptr) == 1 &&
      Crypto().init(context.get(), nullptr, Data(input.key), Data(input.nonce), nullptr) == 1 &&
      Update(context.get(), input.associated_data, nullptr) &&
      Update(context.get(), input.ciphertext, plaintext) &&
      Crypto().control(context.get(), EVP_CTRL_AEAD_SET_TAG, static_cast<int>(input.tag.size()),
                       tag) == 1;
  if (!ready) return LibraryFailure();
  int written = 0;
  uint8_t rest[kAesBlockBytes];
  if (Crypto().finish(context.get(), rest, &written) == 1) return Status::Ok();
  Crypto().clear_errors();
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
  const Context context(Crypto().new_context());
  if (context == nullptr) return Status(Code::kResourceExhausted, "no memory to decrypt with");
  const bool good = Crypto().init(context.get(), cipher, Data(key), Data(counter), nullptr) == 1 &&
                    Update(context.get(), ciphertext, plaintext);
  return good ? Status::Ok() : LibraryFailure();
}

}  // namespace fastpipe
