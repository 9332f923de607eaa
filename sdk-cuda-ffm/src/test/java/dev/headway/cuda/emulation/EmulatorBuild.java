package dev.headway.cuda.emulation;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Compiles the fake driver with the kernels, and the fake NVML, into {@code target/emulation}; a
 * library is named by what it was made of, so that it is compiled once per change.
 */
public final class EmulatorBuild {
  private static final Path TEST_SOURCES = Path.of("src/test/cuda");
  private static final Path KERNELS = Path.of("src/main/cuda");
  private static final Path TARGET = Path.of("target/emulation");

  /** A built library, or why there is none. */
  public record Outcome(Optional<Path> library, String problem) {}

  private EmulatorBuild() {}

  /** Prints the path of the driver that looks like a real one. */
  public static void main(String[] arguments) {
    final Outcome outcome = likeARealDriver();
    System.out.println(outcome.library().orElseThrow(() -> problem(outcome)));
  }

  private static IllegalStateException problem(Outcome outcome) {
    return new IllegalStateException(outcome.problem());
  }

  /** The fake libcuda. */
  public static Outcome driver() {
    return build(
        "cuda",
        List.of(),
        List.of(
            "fibers.cpp",
            "fake_driver.cpp",
            "fake_blas_lt.cpp",
            "kernels.cpp",
            "no_barriers.cpp",
            "waiting_less.cpp"));
  }

  /**
   * The same with nothing that a test could set or ask, and with what a real driver does
   * differently: tests take it for a real one.
   */
  public static Outcome likeARealDriver() {
    return build(
        "cuda-like-a-real-one",
        List.of("-DHEADWAY_LIKE_A_REAL_DRIVER"),
        List.of("fibers.cpp", "fake_driver.cpp", "fake_blas_lt.cpp", "kernels.cpp"));
  }

  /** The fake NVML. */
  public static Outcome nvml() {
    return build("nvml", List.of(), List.of("fake_nvml.cpp"));
  }

  private static Outcome build(String name, List<String> definitions, List<String> sources) {
    if (!runs(List.of("g++", "--version"))) {
      return new Outcome(Optional.empty(), "g++ is needed to compile the fake CUDA driver");
    }
    try {
      final List<String> command = new ArrayList<>(List.of("g++"));
      command.addAll(flags());
      command.addAll(definitions);
      sources.forEach(source -> command.add(TEST_SOURCES.resolve(source).toString()));
      final Path library = TARGET.resolve("lib" + name + "-" + digest(command) + ".so");
      if (!Files.exists(library)) {
        compileOnce(command, library);
      }
      return new Outcome(Optional.of(library.toAbsolutePath()), "");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** No -march=native: kernels type-pun (-fno-strict-aliasing) and fuse as the device does. */
  private static List<String> flags() throws IOException {
    final List<String> flags =
        new ArrayList<>(
            List.of(
                "-std=c++17",
                "-O2",
                "-ffp-contract=fast",
                "-fno-strict-aliasing",
                "-fPIC",
                "-fno-exceptions",
                "-fvisibility=hidden",
                "-shared",
                "-Wall",
                "-Werror",
                "-Wno-unknown-pragmas",
                "-Wno-unused-function"));
    final Path cpus = Path.of("/proc/cpuinfo");
    if (Files.exists(cpus) && Files.readString(cpus).contains(" avx2 ")) {
      flags.add("-march=x86-64-v3");
    }
    return flags;
  }

  /** Tests run in two JVMs, which want the same library at the same time. */
  private static void compileOnce(List<String> command, Path library) throws IOException {
    Files.createDirectories(TARGET);
    try (FileChannel file = FileChannel.open(TARGET.resolve("lock"), CREATE, WRITE);
        FileLock lock = file.lock()) {
      if (lock.isValid() && !Files.exists(library)) {
        compile(command, library);
      }
    }
  }

  private static void compile(List<String> command, Path library) throws IOException {
    final Path unfinished = Files.createTempFile(TARGET, "unfinished", ".so");
    final List<String> all = new ArrayList<>(command);
    all.addAll(List.of("-o", unfinished.toString()));
    final Path log = TARGET.resolve("g++.log");
    if (!runs(all, log)) {
      throw new IOException("g++ failed: " + String.join(" ", all) + "\n" + Files.readString(log));
    }
    Files.move(unfinished, library, StandardCopyOption.ATOMIC_MOVE);
  }

  private static String digest(List<String> command) throws IOException {
    try {
      final MessageDigest sha = MessageDigest.getInstance("SHA-256");
      sha.update(String.join(" ", command).getBytes(StandardCharsets.UTF_8));
      for (Path folder : List.of(KERNELS, TEST_SOURCES)) {
        try (Stream<Path> files = Files.list(folder)) {
          for (Path file : files.sorted().toList()) {
            sha.update(Files.readAllBytes(file));
          }
        }
      }
      return HexFormat.of().formatHex(sha.digest(), 0, 8);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Whether a command ends with 0; its output goes nowhere. */
  public static boolean runs(List<String> command) {
    return runs(command, Path.of("/dev/null"));
  }

  /** Whether a command ends with 0; its output goes to a file. */
  public static boolean runs(List<String> command, Path log) {
    try {
      return new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start()
              .waitFor()
          == 0;
    } catch (IOException e) {
      return false; // no such program
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
