package dev.headway.testkit.files;

import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A view of a real directory whose file calls are numbered and fail where a {@link FilePlan} says.
 *
 * <pre>{@code
 * for (long n = 1; ; n++) {
 *   FaultyFiles files = FaultyFiles.over(directory, FilePlan.once(n, FileFault.DISK_FULL));
 *   run(files.root());
 *   if (files.faults().isEmpty()) {
 *     break; // a run without that many calls: all of them have failed once
 *   }
 * }
 * }</pre>
 *
 * <p>A call that fails has no effect, but that a WRITE of more than one byte writes the first half
 * of its bytes before. Any thread; as deterministic as the order of the calls.
 */
public final class FaultyFiles {

  private final FilePlan plan;
  private final FileSystem view;
  private final Path root;
  private final List<Fault> faults = new ArrayList<>();
  private long calls;

  private FaultyFiles(Path directory, FilePlan plan) {
    this.plan = plan;
    this.view = new FaultyFileSystem(this, directory.getFileSystem());
    this.root = new FaultyPath(view, directory.toAbsolutePath());
  }

  /**
   * A call that failed.
   *
   * @param number of the call, from 1
   * @param call what was asked
   * @param path of the real file system
   * @param kind how it failed
   */
  public record Fault(long number, FileCall call, Path path, FileFault kind) {}

  /** A view of {@code directory}, which must exist, and of all that is below or beside it. */
  public static FaultyFiles over(Path directory, FilePlan plan) {
    return new FaultyFiles(directory, plan);
  }

  /** The directory in the view; hand it to the code under test. */
  public Path root() {
    return root;
  }

  /** Calls so far. */
  public synchronized long calls() {
    return calls;
  }

  /** The calls that failed so far, in order. */
  public synchronized List<Fault> faults() {
    return List.copyOf(faults);
  }

  /** Numbers a call, and throws if it is to fail. */
  void on(FileCall call, Path real) throws IOException {
    final FileFault fault = ask(call, real);
    if (fault != null) {
      throw fault.exception(real);
    }
  }

  /** Numbers a call and returns how it is to fail, or null. */
  synchronized @Nullable FileFault ask(FileCall call, Path real) {
    calls++;
    final FileFault fault = plan.fault(calls, call, real);
    if (fault != null) {
      faults.add(new Fault(calls, call, real, fault));
    }
    return fault;
  }
}
