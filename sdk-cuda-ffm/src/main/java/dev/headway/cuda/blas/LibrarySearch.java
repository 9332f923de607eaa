package dev.headway.cuda.blas;

import dev.headway.cuda.driver.NativeLibrary;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * Where cuBLASLt is found without help: by the system's loader, else in the toolkit and in Python's
 * packages of NVIDIA. Newer versions come first. Immutable; any thread.
 */
final class LibrarySearch {
  /** Versions of the binary interface that are known, the newest first. */
  private static final List<String> NAMES = List.of("libcublasLt.so.13", "libcublasLt.so.12");

  /** Folders with libraries below a toolkit. */
  private static final List<String> OF_A_TOOLKIT = List.of("lib64", "lib", "targets/*/lib");

  /** Folders with libraries below a Python: those of its wheels. */
  private static final List<String> OF_A_PYTHON =
      List.of(
          "lib/python3*/site-packages/nvidia/*/lib",
          "lib/python3*/dist-packages/nvidia/*/lib",
          "lib/python3/dist-packages/nvidia/*/lib",
          "lib");

  private final Path root;
  private final Map<String, String> environment;

  /**
   * Looks below a root.
   *
   * @param root of the file system
   * @param environment of the process
   */
  LibrarySearch(Path root, Map<String, String> environment) {
    this.root = root;
    this.environment = environment;
  }

  /** Opens the first that loads; if none does, the failure says where was looked. */
  NativeLibrary open() {
    for (String name : NAMES) {
      final NativeLibrary library = NativeLibrary.open(name);
      if (library.isLoaded()) {
        return library;
      }
    }
    final StringBuilder refused = new StringBuilder();
    for (Path file : files()) {
      final NativeLibrary library = NativeLibrary.open(file.toString());
      if (library.isLoaded()) {
        return library;
      }
      refused.append("; ").append(library.failure());
    }
    return NativeLibrary.missing(
        NAMES.getFirst(),
        "none of "
            + String.join(", ", NAMES)
            + " was found by the system's loader, in CUDA_HOME, CUDA_PATH, /usr/local/cuda* or Python's nvidia"
            + " packages"
            + refused);
  }

  /** The files that are there, the most wanted first. */
  List<Path> files() {
    final List<Path> folders = new ArrayList<>();
    for (String variable : new String[] {"CUDA_HOME", "CUDA_PATH"}) {
      addBelow(folders, environment.getOrDefault(variable, ""), OF_A_TOOLKIT);
    }
    for (Path toolkit : glob(root, "usr/local/cuda*")) {
      addBelow(folders, toolkit.toString(), OF_A_TOOLKIT);
    }
    for (String variable : new String[] {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
      addBelow(folders, environment.getOrDefault(variable, ""), OF_A_PYTHON);
    }
    final String home = environment.getOrDefault("HOME", "");
    addBelow(folders, home.isBlank() ? "" : home + "/.local", OF_A_PYTHON);
    for (String prefix : new String[] {"usr/local", "usr", "opt/conda", "opt/venv"}) {
      addBelow(folders, root.resolve(prefix).toString(), OF_A_PYTHON);
    }
    return folders.stream()
        .flatMap(folder -> NAMES.stream().map(folder::resolve))
        .filter(Files::isRegularFile)
        .distinct()
        .toList();
  }

  private static void addBelow(List<Path> folders, String base, List<String> patterns) {
    if (!base.isBlank()) {
      patterns.forEach(pattern -> folders.addAll(glob(Path.of(base), pattern)));
    }
  }

  /** Paths below a folder whose parts match, the last by name first. */
  private static List<Path> glob(Path base, String pattern) {
    List<Path> found = List.of(base);
    for (String part : pattern.split("/", -1)) {
      final List<Path> next = new ArrayList<>();
      for (Path folder : found) {
        next.addAll(children(folder, part));
      }
      found = next;
    }
    return found;
  }

  private static List<Path> children(Path folder, String pattern) {
    final List<Path> children = new ArrayList<>();
    if (Files.isDirectory(folder)) {
      try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder, pattern)) {
        entries.forEach(children::add);
      } catch (IOException | DirectoryIteratorException e) {
        return List.of(); // what cannot be read holds no library for us
      }
    }
    children.sort(Comparator.reverseOrder());
    return children;
  }
}
