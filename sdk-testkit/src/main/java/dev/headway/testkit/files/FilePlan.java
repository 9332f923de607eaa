package dev.headway.testkit.files;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Decides for each file call whether it fails. Called by whatever thread makes the call, one at a
 * time.
 */
@FunctionalInterface
public interface FilePlan {

  /**
   * Returns the fault of a call, or null to let it through.
   *
   * @param number of the call, from 1
   * @param call what is asked
   * @param path of the real file system
   */
  @Nullable FileFault fault(long number, FileCall call, Path path);

  /** Nothing fails; the calls are counted. */
  static FilePlan none() {
    return (number, call, path) -> null;
  }

  /** The call {@code n} fails, and only that. */
  static FilePlan once(long n, FileFault fault) {
    return (number, call, path) -> number == n ? fault : null;
  }

  /** The call {@code n} fails, and every one after it. */
  static FilePlan from(long n, FileFault fault) {
    return (number, call, path) -> number >= n ? fault : null;
  }
}
