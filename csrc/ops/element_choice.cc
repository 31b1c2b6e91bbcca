#include "ops/element_choice.h"

#include "runtime/seed.h"

namespace fastpipe {

Result<ElementSpec> CommonSpec(const Args& args, const ElementSpec& a, const ElementSpec& b) {
  if (a.size() != b.size()) {
    return args.Error(StrCat("the datasets must have elements of equal structure, got ", a.size(),
                             " and ", b.size(), " components"));
  }
  ElementSpec common;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].dtype != b[i].dtype) {
      return args.Error(StrCat("the datasets must have elements of equal dtypes: component ", i,
                               " is ", a[i].ToString(), " and ", b[i].ToString()));
    }
    common.push_back(Union(a[i], b[i]));
  }
  return common;
}

Result<ElementSpec> CommonSpec(const Args& args, const std::vector<DatasetRef>& inputs,
                               size_t first) {
  if (inputs.size() <= first) return args.Error("takes at least one dataset, got none");
  ElementSpec spec = inputs[first]->spec();
  for (size_t i = first + 1; i < inputs.size(); ++i) {
    FASTPIPE_ASSIGN(spec, CommonSpec(args, spec, inputs[i]->spec()));
  }
  return spec;
}

InputSet::InputSet(const std::vector<DatasetRef>& datasets, size_t first,
                   const IteratorContext& context)
    : ends_(datasets.size() - first), num_open_(datasets.size() - first) {
  for (size_t i = first; i < datasets.size(); ++i) {
    const auto number = static_cast<int64_t>(inputs_.size());
    inputs_.push_back(datasets[i]->MakeIterator(ForInput(context, datasets, i, number)));
  }
}

Status InputSet::Next(size_t index, Element* out) {
  Status status = inputs_[index]->Next(out);
  if (status.end_of_sequence()) {
    FASTPIPE_RETURN_IF_ERROR(Close(index));
  }
  return status;
}

Status InputSet::Close(size_t index) {
  ends_[index].clear();
  FASTPIPE_RETURN_IF_ERROR(inputs_[index]->Save(&ends_[index]));
  inputs_[index].reset();
  --num_open_;
  return Status::Ok();
}

Status InputSet::Save(PositionWriter* writer) {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    writer->PutInt(inputs_[i] ? 1 : 0);
    if (inputs_[i]) {
      FASTPIPE_RETURN_IF_ERROR(inputs_[i]->Save(writer));
    } else {
      writer->PutBytes(ends_[i].bytes());
    }
  }
  return Status::Ok();
}

Status InputSet::Restore(PositionReader* reader) {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (reader->GetCount(1) == 1) {
      FASTPIPE_RETURN_IF_ERROR(inputs_[i]->Restore(reader));
    } else {
      PositionReader end(reader->GetBytes());
      FASTPIPE_RETURN_IF_ERROR(inputs_[i]->Restore(&end));
      FASTPIPE_RETURN_IF_ERROR(Close(i));
    }
  }
  return reader->status();
}

}  // namespace fastpipe
