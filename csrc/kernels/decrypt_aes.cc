// decrypt_aes_gcm(data, key, nonce?, tag?, associated_data?): each string of `data` decrypted and
// its authenticity checked. Without `nonce` the data begin with it, 12 bytes; without `tag` they
// end with it, 16 bytes. decrypt_aes_ctr(data, key, counter): each string of `data` decrypted;
// nothing is checked.
//
// All inputs are strings: of the shape of `data`, or scalars that serve all of them. Attributes of
// decrypt_aes_gcm: has_nonce, has_tag, has_associated_data.

#include <algorithm>

#include "codec/aes.h"
#include "core/registry.h"

namespace fastpipe {
namespace {

constexpr size_t kUsualNonceBytes = 12;

// The input for element `index`; a scalar serves all.
std::string_view At(const Tensor& input, int64_t index) {
  return input.str(input.rank() == 0 ? 0 : index);
}

// Decrypts one element: how many bytes come out, and the bytes.
class Cipher {
 public:
  virtual ~Cipher() = default;
  virtual Status CheckAndMeasure(Inputs in, int64_t index, size_t* size) const = 0;
  virtual Status Decrypt(Inputs in, int64_t index, uint8_t* out) const = 0;
};

class Gcm final : public Cipher {
 public:
  Gcm(bool has_nonce, bool has_tag, bool has_associated_data) {
    int next = 2;
    if (has_nonce) nonce_ = next++;
    if (has_tag) tag_ = next++;
    if (has_associated_data) associated_data_ = next++;
  }

  Status CheckAndMeasure(Inputs in, int64_t index, size_t* size) const override {
    const size_t bytes = At(*in[0], index).size();
    const size_t around = (nonce_ < 0 ? kUsualNonceBytes : 0) + (tag_ < 0 ? kGcmTagBytes : 0);
    if (bytes < around) {
      return DataLoss(StrCat("the data must have at least ", around, " bytes of ",
                             nonce_ >= 0 ? "tag" : (tag_ >= 0 ? "nonce" : "nonce and tag")));
    }
    *size = bytes - around;
    return Status::Ok();
  }

  Status Decrypt(Inputs in, int64_t index, uint8_t* out) const override {
    GcmInput input;
    input.key = At(*in[1], index);
    input.ciphertext = At(*in[0], index);
    if (nonce_ >= 0) {
      input.nonce = At(*in[static_cast<size_t>(nonce_)], index);
    } else {
      input.nonce = input.ciphertext.substr(0, kUsualNonceBytes);
      input.ciphertext.remove_prefix(kUsualNonceBytes);
    }
    if (tag_ >= 0) {
      input.tag = At(*in[static_cast<size_t>(tag_)], index);
    } else {
      input.tag = input.ciphertext.substr(input.ciphertext.size() - kGcmTagBytes);
      input.ciphertext.remove_suffix(kGcmTagBytes);
    }
    if (associated_data_ >= 0) {
      input.associated_data = At(*in[static_cast<size_t>(associated_data_)], index);
    }
    return DecryptAesGcm(input, out);
  }

 private:
  // Which inputs they are; -1 if they are part of the data, or empty.
  int nonce_ = -1;
  int tag_ = -1;
  int associated_data_ = -1;
};

class Ctr final : public Cipher {
 public:
  Status CheckAndMeasure(Inputs in, int64_t index, size_t* size) const override {
    *size = At(*in[0], index).size();
    return Status::Ok();
  }
  Status Decrypt(Inputs in, int64_t index, uint8_t* out) const override {
    return DecryptAesCtr(At(*in[1], index), At(*in[2], index), At(*in[0], index), out);
  }
};

struct Plaintext {
  BufferRef buffer;
  size_t size = 0;
  std::string_view view() const { return {reinterpret_cast<const char*>(buffer->data()), size}; }
};

Result<Plaintext> DecryptOne(const Args& attrs, const Cipher& cipher, Inputs in, int64_t index) {
  Plaintext plain;
  Status status = cipher.CheckAndMeasure(in, index, &plain.size);
  if (status.ok()) {
    plain.buffer = BufferPool::Get().Allocate(plain.size);
    status = cipher.Decrypt(in, index, plain.buffer->data());
  }
  if (status.ok()) return plain;
  const std::string place = in[0]->rank() == 0 ? "" : StrCat(" at index ", index);
  return Status(status.code(), StrCat(attrs.owner(), ": cannot decrypt ", At(*in[0], index).size(),
                                      " bytes", place, ": ", status.message()));
}

Status Run(const Args& attrs, const Cipher& cipher, Inputs in, Output* output) {
  const Tensor& data = *in[0];
  for (size_t i = 1; i < in.size(); ++i) {
    const Dims dims = in[i]->dims();
    if (dims.empty() ||
        std::equal(dims.begin(), dims.end(), data.dims().begin(), data.dims().end()))
      continue;
    return attrs.Error(StrCat("input ", i, " must be a scalar or have the shape of the data, ",
                              ShapeString(data.dims()), ", got ", ShapeString(dims)));
  }
  if (data.rank() == 0) {
    FASTPIPE_ASSIGN(Plaintext plain, DecryptOne(attrs, cipher, in, 0));
    const std::string_view text = plain.view();
    output->Set(Tensor::StringSlice(std::move(plain.buffer), text));
    return Status::Ok();
  }
  const int64_t count = data.num_elements();
  StringArrayBuilder builder(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    FASTPIPE_ASSIGN(const Plaintext plain, DecryptOne(attrs, cipher, in, i));
    builder.Append(plain.view());
  }
  output->Set(builder.Build(data.dims()));
  return Status::Ok();
}

// Checks what is known of the shapes while a function is traced.
Status ExpectShapes(const Args& attrs, Specs inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    FASTPIPE_RETURN_IF_ERROR(ExpectDType(attrs, inputs, i, DType::kString));
    const bool fits = !inputs[i].known_rank || inputs[i].rank() == 0 || !inputs[0].known_rank ||
                      inputs[i].rank() == inputs[0].rank();
    if (fits) continue;
    return attrs.Error(StrCat("input ", i, " must be a scalar or have the shape of the data, ",
                              inputs[0].ToString(), ", got ", inputs[i].ToString()));
  }
  return Status::Ok();
}

Result<KernelPlan> PlanCipher(const Args& attrs, Specs inputs,
                              std::shared_ptr<const Cipher> cipher) {
  FASTPIPE_RETURN_IF_ERROR(ExpectShapes(attrs, inputs));
  return KernelPlan{{inputs[0]},
                    KernelFrom([attrs, cipher](KernelContext*, Inputs in, Outputs out) {
                      return Run(attrs, *cipher, in, &out[0]);
                    })};
}

Result<KernelPlan> PlanGcm(const Args& attrs, Specs inputs) {
  FASTPIPE_ASSIGN(const bool has_nonce, attrs.BoolOr("has_nonce", false));
  FASTPIPE_ASSIGN(const bool has_tag, attrs.BoolOr("has_tag", false));
  FASTPIPE_ASSIGN(const bool has_associated_data, attrs.BoolOr("has_associated_data", false));
  const size_t count = 2 + size_t{has_nonce} + size_t{has_tag} + size_t{has_associated_data};
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, count));
  return PlanCipher(attrs, inputs,
                    std::make_shared<const Gcm>(has_nonce, has_tag, has_associated_data));
}

Result<KernelPlan> PlanCtr(const Args& attrs, Specs inputs) {
  FASTPIPE_RETURN_IF_ERROR(ExpectInputs(attrs, inputs, 3));
  return PlanCipher(attrs, inputs, std::make_shared<const Ctr>());
}

FASTPIPE_KERNEL("decrypt_aes_gcm", PlanGcm);
FASTPIPE_KERNEL("decrypt_aes_ctr", PlanCtr);

}  // namespace
}  // namespace fastpipe
