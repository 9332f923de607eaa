package dev.headway.cuda.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The committed PTX and machine code name the sources that they were made of. */
class KernelImageTest {
  private static final Path SOURCES = Path.of("src/main/cuda");

  private static String ptx() {
    return new String(KernelImage.ptx(), StandardCharsets.UTF_8);
  }

  @Test
  void shouldNameTheSourcesItWasMadeOf() throws Exception {
    final List<String> expected = new ArrayList<>();
    try (Stream<Path> files = Files.list(SOURCES)) {
      for (Path file : files.sorted().toList()) {
        final byte[] hash = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file));
        expected.add("//   " + HexFormat.of().formatHex(hash) + "  " + file.getFileName());
      }
    }

    assertThat(ptx().lines().skip(2).takeWhile(line -> line.startsWith("//   ")))
        .as("run scripts/kernels.sh after a change of src/main/cuda")
        .isEqualTo(expected);
  }

  @Test
  void shouldNameTheMachineCodeThatIsMadeOfIt() throws Exception {
    final byte[] hash = MessageDigest.getInstance("SHA-256").digest(machineCode());

    assertThat(ptx().lines().filter(line -> line.endsWith("  " + KernelImage.MACHINE_CODE)))
        .as("run scripts/kernels.sh after a change of src/main/cuda")
        .containsExactly("//   " + HexFormat.of().formatHex(hash) + "  headway_90.cubin");
  }

  @Test
  void shouldHaveMachineCodeForOneComputeCapability() {
    assertThat(KernelImage.machineCode(9, 0)).isPresent();
    assertThat(KernelImage.machineCode(8, 0)).isEmpty();
    assertThat(KernelImage.machineCode(8, 9)).isEmpty();
    assertThat(KernelImage.machineCode(10, 0)).isEmpty();
  }

  private static byte[] machineCode() {
    return KernelImage.machineCode(9, 0).orElseThrow();
  }

  @Test
  void shouldBeReadByDriversSince470() {
    assertThat(ptx()).contains("\n.version 7.0\n").contains("\n.target sm_80\n");
  }

  @Test
  void shouldHaveEveryKernelOfTheSources() throws IOException {
    final Pattern emulated = Pattern.compile("^EMULATED\\((\\w+)\\)", Pattern.MULTILINE);
    final List<String> names = new ArrayList<>();
    try (Stream<Path> files = Files.list(SOURCES)) {
      for (Path file : files.sorted().toList()) {
        final var matcher = emulated.matcher(Files.readString(file));
        while (matcher.find()) {
          names.add(matcher.group(1));
        }
      }
    }

    assertThat(names).hasSizeGreaterThan(8);
    assertThat(names).allSatisfy(name -> assertThat(ptx()).contains(".entry " + name + "("));
    final String sections = new String(machineCode(), StandardCharsets.ISO_8859_1);
    assertThat(names).allSatisfy(name -> assertThat(sections).contains("\0.text." + name + "\0"));
  }
}
