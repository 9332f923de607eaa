package dev.headway.cuda.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.headway.cuda.emulation.EmulatorBuild;
import java.io.IOException;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Every binding against cuda.h, and the fake driver's signatures against it, where it is there. */
class BindingsMatchHeaderTest {
  private static final Path HEADER = Path.of("/usr/local/cuda/include/cuda.h");
  private static final Pattern RENAMED =
      Pattern.compile("#\\s*define (cu\\w+)\\s+(?:__CUDA_API_PT\\w+\\()?(cu\\w+)");
  private static final Pattern PROTOTYPE =
      Pattern.compile("(\\w+) CUDAAPI (cu\\w+)\\(([^;]*?)\\);", Pattern.DOTALL);

  @Test
  void shouldBindEverySymbolWithTheTypesOfTheHeader() throws IOException {
    assumeThat(HEADER).exists();
    final Map<String, String> headerName = new HashMap<>(); // exported symbol -> name in source
    final Map<String, String[]> prototypes = new HashMap<>();
    read(headerName, prototypes);

    final List<String> problems = new ArrayList<>();
    for (DriverFunction function : DriverFunction.values()) {
      final String name = headerName.getOrDefault(function.symbol(), function.symbol());
      final String[] prototype = prototypes.get(name);
      final String problem =
          prototype == null ? "not in cuda.h" : compare(function, prototype[0], prototype[1]);
      if (!problem.isEmpty()) {
        problems.add(function.symbol() + ": " + problem);
      }
    }

    assertThat(problems).isEmpty();
  }

  /** "To continue using CUDA, the process must be terminated and relaunched." */
  @Test
  void shouldKnowTheResultsAfterWhichTheProcessMustBeRelaunched() throws IOException {
    assumeThat(HEADER).exists();
    final Matcher results =
        Pattern.compile(
                "/\\*\\*((?:(?!\\*/).)*)\\*/\\s*CUDA_ERROR_\\w+\\s*=\\s*(\\d+)", Pattern.DOTALL)
            .matcher(Files.readString(HEADER));
    final Set<Integer> relaunch = new TreeSet<>(Set.of(214, 220, 710, 999));
    final Set<Integer> sticky = new TreeSet<>();
    while (results.find()) {
      final int result = Integer.parseInt(results.group(2));
      if (results.group(1).replaceAll("\\s+\\*?\\s*", " ").contains("terminated and relaunched")) {
        relaunch.add(result);
      }
      if (CudaResult.isSticky(result)) {
        sticky.add(result);
      }
    }

    assertThat(sticky).isEqualTo(relaunch).hasSizeGreaterThan(10);
  }

  @Test
  void shouldNoticeASymbolOfTheOldAbi() throws IOException {
    assumeThat(HEADER).exists();
    final Map<String, String> headerName = new HashMap<>();
    read(headerName, new HashMap<>());

    // the macro that makes plain cuMemAlloc mean cuMemAlloc_v2 is what the test above follows
    assertThat(headerName).containsEntry("cuMemAlloc_v2", "cuMemAlloc");
    assertThat(compare(DriverFunction.MEM_ALLOC, "CUresult", "CUdeviceptr *p, unsigned int n"))
        .isEqualTo("parameter 1 is 'unsigned int n', bound as JAVA_LONG");
  }

  @Test
  void shouldHaveAFakeDriverWithTheSignaturesOfTheHeader() {
    assumeThat(HEADER).exists();
    final List<String> command =
        List.of(
            "g++",
            "-std=c++17",
            "-fsyntax-only",
            "-DHEADWAY_CUDA_H",
            "-I" + HEADER.getParent(),
            "src/test/cuda/fake_driver.cpp");
    assumeThat(EmulatorBuild.runs(List.of("g++", "--version"))).isTrue();

    assertThat(EmulatorBuild.runs(command)).as("%s", command).isTrue();
  }

  private static void read(Map<String, String> headerName, Map<String, String[]> prototypes)
      throws IOException {
    final String header = Files.readString(HEADER);
    for (Matcher m = RENAMED.matcher(header); m.find(); ) {
      headerName.putIfAbsent(m.group(2), m.group(1));
    }
    for (Matcher m = PROTOTYPE.matcher(header); m.find(); ) {
      prototypes.putIfAbsent(m.group(2), new String[] {m.group(1), m.group(3)});
    }
  }

  private static String compare(DriverFunction function, String returned, String parameters) {
    final List<MemoryLayout> bound = function.descriptor().argumentLayouts();
    final String[] declared =
        parameters.strip().equals("void") ? new String[0] : parameters.strip().split(",");
    if (!returned.equals("CUresult")
        || !function.descriptor().returnLayout().orElseThrow().equals(ValueLayout.JAVA_INT)) {
      return "returns " + returned;
    }
    if (declared.length != bound.size()) {
      return "has " + declared.length + " parameters, bound with " + bound.size();
    }
    for (int i = 0; i < declared.length; i++) {
      if (!layouts(declared[i].strip()).contains(bound.get(i))) {
        return "parameter " + i + " is '" + declared[i].strip() + "', bound as " + name(bound, i);
      }
    }
    return "";
  }

  private static String name(List<MemoryLayout> bound, int i) {
    return bound.get(i).equals(ValueLayout.JAVA_LONG) ? "JAVA_LONG" : bound.get(i).toString();
  }

  /** Layouts that carry a C type; host memory of unknown content may travel as a plain address. */
  private static List<MemoryLayout> layouts(String declared) {
    if (declared.matches("(const )?void \\*\\w+")) {
      return List.of(ValueLayout.ADDRESS, ValueLayout.JAVA_LONG);
    }
    if (declared.contains("*")) {
      return List.of(ValueLayout.ADDRESS);
    }
    if (declared.matches("(unsigned long long|size_t|cuuint64_t|CUdeviceptr) \\w+")) {
      return List.of(ValueLayout.JAVA_LONG);
    }
    if (declared.matches("unsigned char \\w+")) {
      return List.of(ValueLayout.JAVA_INT); // as a byte it would arrive with a sign
    }
    if (declared.matches(
        "(unsigned int|int|CUdevice|CUresult|CU\\w+_attribute|CUstreamCaptureMode) \\w+")) {
      return List.of(ValueLayout.JAVA_INT);
    }
    if (declared.matches("CU(context|module|function|stream|event|graph|graphExec) \\w+")) {
      return List.of(ValueLayout.JAVA_LONG);
    }
    return List.of();
  }
}
