package dev.headway.cuda.emulation;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Tests that call a CUDA driver: the fake one, or with {@code -Dheadway.cuda.library=libcuda.so.1}
 * a real one. They run in a JVM of their own, since a wild kernel would take it down.
 *
 * <p>The tag {@code cuda} puts them there; {@code gpu} is the suite that {@code
 * scripts/gpu-check.sh} takes to a machine with a device.
 *
 * <p>On a real driver none is skipped but those that say why: {@link EmulatorOnly}.
 *
 * <p>Without g++ they are skipped; with {@code -Dheadway.cuda.emulator=required} they fail.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Tag("cuda")
@Tag("gpu")
@ExtendWith(CudaDriverExtension.class)
public @interface OnCudaDriver {}
