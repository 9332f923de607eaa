package dev.headway.executor.model;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** Finds the GGUF file that a path names or holds. */
final class GgufFolder {

  private GgufFolder() {}

  /**
   * Returns the file; empty if the path is for safetensors.
   *
   * @param path a file, or a folder, which may hold one such file and no safetensors
   * @throws ModelFormatException if the folder holds several
   */
  static Optional<Path> find(Path path) {
    if (isFile(path)) {
      return Optional.of(path);
    }
    if (!Files.isDirectory(path) || SafetensorsFolder.isIn(path)) {
      return Optional.empty();
    }
    final List<Path> files;
    try (Stream<Path> all = Files.list(path)) {
      files = all.filter(GgufFolder::isGguf).filter(Files::isRegularFile).sorted().toList();
    } catch (IOException e) {
      throw new ModelFormatException(path, null, "folder cannot be listed: " + e, e);
    }
    if (files.size() > 1) {
      throw new ModelFormatException(
          path,
          "folder must hold one .gguf file: files="
              + files.stream().map(Path::getFileName).toList()
              + "; name one of them in place of the folder");
    }
    return files.stream().findFirst();
  }

  /** Whether the path is such a file itself. */
  static boolean isFile(Path path) {
    return isGguf(path) && Files.isRegularFile(path);
  }

  private static boolean isGguf(Path path) {
    return path.toString().toLowerCase(Locale.ROOT).endsWith(".gguf");
  }
}
