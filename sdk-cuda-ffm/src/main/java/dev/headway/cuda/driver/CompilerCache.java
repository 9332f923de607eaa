package dev.headway.cuda.driver;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where the driver keeps what it compiles from PTX: in {@code CUDA_CACHE_PATH}, else below {@code
 * HOME}. Where there is neither it would compile in every process, for three seconds; then a folder
 * of the user's own below {@code java.io.tmpdir} is named to it. Any thread.
 */
final class CompilerCache {
  private static final Logger LOG = LoggerFactory.getLogger(CompilerCache.class);
  private static final String PATH = "CUDA_CACHE_PATH";
  private static final Set<PosixFilePermission> OWN = PosixFilePermissions.fromString("rwx------");
  private static boolean provided;

  private CompilerCache() {}

  /** Names a folder to the driver if it has none. Before {@code cuInit}; once, then nothing. */
  static synchronized void provide() {
    if (!provided) {
      provided = true;
      provide(System.getenv(), Path.of(System.getProperty("java.io.tmpdir")));
    }
  }

  private static void provide(Map<String, String> environment, Path temporary) {
    final Optional<MemorySegment> setenv = Linker.nativeLinker().defaultLookup().find("setenv");
    if (setenv.isEmpty() || hasOne(environment)) {
      return;
    }
    try {
      final Path folder = own(temporary);
      set(setenv.get(), PATH, folder.toString());
      LOG.info(
          "HOME cannot be written, so the driver keeps compiled kernels in {}; {} names another"
              + " folder",
          folder,
          PATH);
    } catch (IOException e) {
      LOG.warn(
          "the driver compiles the kernels in every process, since HOME cannot be written and"
              + " neither can a folder below java.io.tmpdir; name one with {}: {}",
          PATH,
          e.toString());
    }
  }

  /** Whether the driver finds a folder by itself, or is to keep nothing. */
  static boolean hasOne(Map<String, String> environment) {
    if (environment.containsKey(PATH) || "1".equals(environment.get("CUDA_CACHE_DISABLE"))) {
      return true;
    }
    final String home = environment.getOrDefault("HOME", "");
    return !home.isBlank()
        && (Files.isWritable(Path.of(home))
            || Files.isWritable(Path.of(home, ".nv", "ComputeCache")));
  }

  /**
   * A folder that no other user can write: what lies in it is run on the device.
   *
   * @throws IOException if it cannot be made, or belongs to another user or is open to one
   */
  static Path own(Path temporary) throws IOException {
    final Object user = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    final Path folder = temporary.resolve("headway-cuda-cache-" + user);
    try {
      Files.createDirectory(folder, PosixFilePermissions.asFileAttribute(OWN));
    } catch (FileAlreadyExistsException e) {
      final boolean isOwn =
          Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
              && user.equals(Files.getAttribute(folder, "unix:uid", LinkOption.NOFOLLOW_LINKS))
              && OWN.containsAll(Files.getPosixFilePermissions(folder, LinkOption.NOFOLLOW_LINKS));
      if (!isOwn) {
        throw new IOException(
            "must be a folder that its user alone can read and write: " + folder, e);
      }
    }
    return folder;
  }

  private static void set(MemorySegment setenv, String name, String value) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      final int result =
          (int)
              Linker.nativeLinker()
                  .downcallHandle(
                      setenv,
                      FunctionDescriptor.of(
                          ValueLayout.JAVA_INT,
                          ValueLayout.ADDRESS,
                          ValueLayout.ADDRESS,
                          ValueLayout.JAVA_INT))
                  .invokeExact(arena.allocateFrom(name), arena.allocateFrom(value), 0);
      if (result != 0) {
        throw new IOException("setenv failed: name=" + name + ", value=" + value);
      }
    } catch (IOException e) {
      throw e;
    } catch (Throwable t) {
      throw Unexpected.thrown(t);
    }
  }
}
