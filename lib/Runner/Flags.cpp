//===- Flags.cpp - The command lines of the tools -------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Runner/Flags.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <numeric>

using namespace mlir::comm::runner;

std::vector<std::string>
mlir::comm::runner::splitWords(const std::string &text) {
  std::vector<std::string> words;
  std::string word;
  bool isWord = false;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      word += text[++i];
      isWord = true;
    } else if (quote ? c == quote : c == '\'' || c == '"') {
      quote = quote ? 0 : c;
      isWord = true;
    } else if (quote || !std::isspace(static_cast<unsigned char>(c))) {
      word += c;
      isWord = true;
    } else if (isWord) {
      words.push_back(std::move(word));
      word.clear();
      isWord = false;
    }
  }
  if (isWord)
    words.push_back(std::move(word));
  return words;
}

/// How many letters must change for `a` to become `b`.
static size_t getDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0]++;
    for (size_t j = 0; j < b.size(); ++j) {
      size_t change = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({change, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

//===----------------------------------------------------------------------===//
// Declaring
//===----------------------------------------------------------------------===//

FlagTable::FlagTable(std::string tool, std::string overview,
                     std::string version)
    : tool(std::move(tool)), overview(std::move(overview)),
      version(std::move(version)) {}

void FlagTable::setFile(std::string name, std::string &path) {
  fileName = std::move(name);
  file = &path;
}

void FlagTable::addSwitch(std::string name, std::string help, bool &variable) {
  flags.push_back({name, "", help, /*repeats=*/true,
                   [&variable](const std::string &) -> MaybeFailure {
                     variable = true;
                     return std::nullopt;
                   }});
}

void FlagTable::addText(std::string name, std::string value, std::string help,
                        std::string &variable) {
  flags.push_back({name, value, help, /*repeats=*/false,
                   [&variable, name](const std::string &text) -> MaybeFailure {
                     if (text.empty())
                       return usageFailure("--" + name + " expects a value");
                     variable = text;
                     return std::nullopt;
                   }});
}

void FlagTable::addTexts(std::string name, std::string value, std::string help,
                         std::vector<std::string> &variable) {
  flags.push_back({name, value, help, /*repeats=*/true,
                   [&variable](const std::string &text) -> MaybeFailure {
                     variable.push_back(text);
                     return std::nullopt;
                   }});
}

/// Reads all of `text`.
template <typename T>
static bool readNumber(const std::string &text, T &number) {
  const char *end = text.data() + text.size();
  auto result = std::from_chars(text.data(), end, number);
  return result.ec == std::errc() && result.ptr == end;
}

static bool readNumber(const std::string &text, std::optional<double> &number) {
  return readNumber(text, number.emplace());
}

template <typename T>
void FlagTable::addParsed(std::string name, std::string value, std::string help,
                          const char *noun, T &variable) {
  flags.push_back(
      {name, value, help, /*repeats=*/false,
       [&variable, name, noun](const std::string &text) -> MaybeFailure {
         if (readNumber(text, variable))
           return std::nullopt;
         return usageFailure("--" + name + " expects " + noun + ", got '" +
                             text + "'");
       }});
}

void FlagTable::addInteger(std::string name, std::string value,
                           std::string help, int64_t &variable) {
  addParsed(name, value, help, "an integer", variable);
}

void FlagTable::addInteger(std::string name, std::string value,
                           std::string help, uint64_t &variable) {
  addParsed(name, value, help, "an integer of at least 0", variable);
}

void FlagTable::addNumber(std::string name, std::string value, std::string help,
                          std::optional<double> &variable) {
  addParsed(name, value, help, "a number", variable);
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

const FlagTable::Flag *FlagTable::find(std::string_view name) const {
  for (const Flag &flag : flags)
    if (flag.name == name)
      return &flag;
  return nullptr;
}

bool FlagTable::wasGiven(std::string_view name) const {
  const Flag *flag = find(name);
  return flag && flag->given;
}

MaybeFailure FlagTable::set(Flag &flag, const std::string &value) {
  if (flag.given && !flag.repeats)
    return usageFailure("--" + flag.name + " is given twice");
  flag.given = true;
  return flag.set(value);
}

Failure FlagTable::unknownFlag(const std::string &word,
                               const std::string &name) const {
  std::string text = "unknown flag '" + word + "': " + tool + " --help";
  const Flag *nearest = nullptr;
  size_t least = 1 + name.size() / 3;
  for (const Flag &flag : flags)
    if (size_t distance = getDistance(name, flag.name); distance <= least) {
      least = distance;
      nearest = &flag;
    }
  if (nearest)
    text =
        "unknown flag '" + word + "': did you mean '--" + nearest->name + "'?";
  return usageFailure(text);
}

MaybeFailure FlagTable::parseWords(const std::vector<std::string> &words) {
  bool onlyFiles = false;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string &word = words[i];
    if (word == "--" && !onlyFiles) {
      onlyFiles = true;
      continue;
    }
    if (onlyFiles || word.size() < 2 || word[0] != '-') {
      if (!file->empty())
        return usageFailure("expected one file, got '" + *file + "' and '" +
                            word + "'");
      *file = word;
      continue;
    }
    size_t begin = word.find_first_not_of('-');
    size_t equals = word.find('=');
    std::string name =
        begin <= 2 ? word.substr(begin, equals - begin) : std::string(word);
    auto *flag = const_cast<Flag *>(find(name));
    if (!flag)
      return unknownFlag(word.substr(0, equals), name);
    bool hasValue = equals != std::string::npos;
    if (flag->value.empty() && hasValue)
      return usageFailure("--" + name + " takes no value");
    if (!flag->value.empty() && !hasValue && i + 1 == words.size())
      return usageFailure("--" + name + " expects a value");
    std::string value;
    if (!flag->value.empty())
      value = hasValue ? word.substr(equals + 1) : words[++i];
    if (MaybeFailure failure = set(*flag, value))
      return failure;
  }
  return std::nullopt;
}

std::string FlagTable::getEnvironmentVariable() const {
  std::string name = tool + "_OPTIONS";
  for (char &c : name)
    c = c == '-' ? '_' : std::toupper(static_cast<unsigned char>(c));
  return name;
}

MaybeFailure FlagTable::parse(int argc, const char *const *argv) {
  bool help = false, wantsVersion = false;
  addSwitch("help", "Print this", help);
  addSwitch("version", "Print the version", wantsVersion);
  std::vector<std::string> words;
  if (const char *text = std::getenv(getEnvironmentVariable().c_str()))
    words = splitWords(text);
  words.insert(words.end(), argv + std::min(argc, 1), argv + argc);
  MaybeFailure failure = parseWords(words);
  if (help || wantsVersion) {
    std::fputs((help ? formatHelp() : version + "\n").c_str(), stdout);
    std::exit(static_cast<int>(ExitCode::Success));
  }
  if (failure)
    return failure;
  if (file->empty())
    return usageFailure("no file: " + tool + " [flags] <" + fileName + ">");
  return std::nullopt;
}

std::string FlagTable::formatHelp() const {
  std::string text =
      overview + "\n" + getEnvironmentVariable() +
      " in the environment holds further flags.\n\nUSAGE: " + tool +
      " [flags] <" + fileName + ">\n\n";
  auto getHead = [](const Flag &flag) {
    std::string dashes = flag.name.size() == 1 ? "  -" : "  --";
    if (flag.value.empty())
      return dashes + flag.name;
    return dashes + flag.name + (flag.name.size() == 1 ? " <" : "=<") +
           flag.value + ">";
  };
  size_t width = 0;
  for (const Flag &flag : flags)
    width = std::max(width, getHead(flag).size());
  for (const Flag &flag : flags) {
    std::string head = getHead(flag);
    text += head + std::string(width - head.size() + 2, ' ');
    for (char c : flag.help)
      text +=
          c == '\n' ? "\n" + std::string(width + 2, ' ') : std::string(1, c);
    text += "\n";
  }
  return text;
}
