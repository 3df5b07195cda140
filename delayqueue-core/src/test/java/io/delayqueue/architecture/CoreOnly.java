package io.delayqueue.architecture;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import io.delayqueue.DelayQueueClient;

/** Classes that are shipped as the core: neither its tests nor other modules, which share the package's name. */
public final class CoreOnly implements ImportOption {

    private static final Location CORE = Location.of(
            DelayQueueClient.class.getProtectionDomain().getCodeSource().getLocation());

    @Override
    public boolean includes(Location location) {
        return location.asURI().toString().startsWith(CORE.asURI().toString());
    }
}
