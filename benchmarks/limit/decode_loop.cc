// Reads and decodes the JPEGs of a list on so many threads, and nothing else.
//
// decode_loop THREADS LIST: for each line on stdin decodes all files of LIST once, RGB by JDCT_ISLOW
// into a buffer that is reused, and answers with their number.
#include <cstddef>
#include <cstdio>
// jpeglib.h needs size_t and FILE.
#include <jpeglib.h>

#include <atomic>
#include <csetjmp>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

namespace {

struct ErrorManager {
  jpeg_error_mgr base;
  jmp_buf escape;
};

[[noreturn]] void Escape(j_common_ptr info) {
  std::longjmp(reinterpret_cast<ErrorManager*>(info->err)->escape, 1);
}

bool Read(const std::string& path, std::vector<unsigned char>* content) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return false;
  std::fseek(file, 0, SEEK_END);
  content->resize(static_cast<size_t>(std::ftell(file)));
  std::rewind(file);
  const size_t size = std::fread(content->data(), 1, content->size(), file);
  std::fclose(file);
  return size == content->size();
}

bool Decode(const std::vector<unsigned char>& content, std::vector<unsigned char>* pixels) {
  jpeg_decompress_struct info;
  ErrorManager errors;
  info.err = jpeg_std_error(&errors.base);
  errors.base.error_exit = Escape;
  errors.base.emit_message = [](j_common_ptr, int) {};
  if (setjmp(errors.escape) != 0) {
    jpeg_destroy_decompress(&info);
    return false;
  }
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, content.data(), content.size());
  jpeg_read_header(&info, TRUE);
  info.out_color_space = JCS_RGB;
  info.dct_method = JDCT_ISLOW;
  jpeg_start_decompress(&info);
  const size_t stride = size_t{info.output_width} * 3;
  if (pixels->size() < stride * info.output_height) pixels->resize(stride * info.output_height);
  while (info.output_scanline < info.output_height) {
    JSAMPROW row = pixels->data() + stride * info.output_scanline;
    jpeg_read_scanlines(&info, &row, 1);
  }
  jpeg_finish_decompress(&info);
  jpeg_destroy_decompress(&info);
  return true;
}

int DecodeAll(const std::vector<std::string>& files, int threads) {
  std::atomic<size_t> next{0};
  std::atomic<int> decoded{0};
  std::vector<std::thread> workers;
  for (int i = 0; i < threads; ++i) {
    workers.emplace_back([&] {
      std::vector<unsigned char> content;
      std::vector<unsigned char> pixels;
      for (size_t index = next++; index < files.size(); index = next++) {
        if (Read(files[index], &content) && Decode(content, &pixels)) ++decoded;
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  return decoded;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: decode_loop THREADS LIST\n";
    return 2;
  }
  std::ifstream list(argv[2]);
  std::vector<std::string> files;
  for (std::string line; std::getline(list, line);) files.push_back(line);
  std::cout << "ready" << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    std::cout << DecodeAll(files, std::atoi(argv[1])) << std::endl;
  }
}
