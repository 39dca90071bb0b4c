//! Everything that the player reads, in English and French.

mod choice;
mod places;

pub use self::choice::Language;
pub(crate) use self::places::french_place;

macro_rules! phrases {
    ($($phrase:ident = $english:literal, $french:literal;)+) => {
        /// A text that the player reads.
        #[allow(missing_docs, reason = "each is documented by what it says")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Phrase { $($phrase,)+ }

        impl Phrase {
            pub const ALL: &'static [Phrase] = &[$(Phrase::$phrase,)+];

            const fn both(self) -> (&'static str, &'static str) {
                match self { $(Phrase::$phrase => ($english, $french),)+ }
            }
        }
    };
}

phrases! {
    // The title.
    Play = "Play", "Jouer";
    Lobbies = "Lobbies", "Salons";
    CreateLobby = "Create a lobby", "Créer un salon";
    JoinByCode = "Join by code", "Rejoindre par code";
    Name = "Name", "Pseudo";
    Options = "Options", "Options";
    Scores = "Scores", "Scores";
    Credits = "Credits", "Crédits";
    Back = "Back", "Retour";
    Connecting = "Connecting…", "Connexion…";
    Connected = "Connected", "Connecté";
    NotConnected = "Not connected", "Non connecté";
    ReadyToConnect = "Ready", "Prêt";
    OneMoment = "One moment…", "Un instant…";
    Daily = "Daily", "Défi du jour";
    Practice = "Practice", "Entraînement";
    Ship = "Ship", "Vaisseau";
    Together = "Together", "Ensemble";

    // What the chosen entry does, at the foot.
    AboutPlay = "The campaign, from stage 1", "La campagne, depuis le niveau 1";
    AboutEndless = "Endless waves that keep getting harder", "Des vagues sans fin, de plus en plus dures";
    AboutPlayArrows = "The campaign, from stage 1. ← → Ship and difficulty", "La campagne, depuis le niveau 1. ← → Vaisseau, difficulté";
    AboutEndlessArrows = "Endless waves that keep getting harder. ← → Ship", "Des vagues sans fin, de plus en plus dures. ← → Vaisseau";
    AboutDaily = "One game for everyone, with its own table", "La même partie pour tous, avec son tableau";
    AboutPractice = "Any place you have reached. Not scored", "Tout endroit déjà atteint. Sans score";
    AboutShip = "Four ships and three difficulties", "Quatre vaisseaux et trois difficultés au choix";
    AboutLobbies = "Play with others, or watch them", "Jouer avec d’autres, ou les regarder";
    AboutOptions = "Sound, picture, controls, language", "Son, image, commandes, langue";
    AboutScores = "The best games on this server", "Les meilleures parties de ce serveur";
    AboutOwnScores = "The best games played here", "Les meilleures parties jouées ici";
    AboutCredits = "Who made it, and what it honours", "Qui l’a fait, et à quoi il rend hommage";
    AboutBack = "Go back", "Retour à l’écran précédent";
    AboutName = "Shown to other players and in the tables", "Affiché aux autres et dans les tableaux";
    AboutOwnName = "Shown in the tables", "Affiché dans les tableaux";
    AboutMusic = "0 is silent, 10 is loudest", "0 : muet, 10 : le plus fort";
    AboutSound = "0 is silent, 10 is loudest", "0 : muet, 10 : le plus fort";
    AboutShake = "Whether large explosions shake the picture", "Les grandes explosions font trembler l’image";
    AboutFlashes = "Off: no large, fast flashes", "Non : pas de grands flashs rapides";
    AboutPalette = "Colours that are easier to tell apart", "Des couleurs plus faciles à distinguer";
    AboutTextSize = "How large the letters are", "La taille des lettres";
    AboutScaling = "Sharp pixels, or fill the window", "Des pixels nets, ou toute la fenêtre";
    AboutOneButton = "Fires by itself. Tap: Force; hold: charge", "Tir automatique. Bref : Force ; long : charge";
    AboutSlower = "Solo only: three-quarters speed. Not scored", "En solo, trois quarts de la vitesse. Sans score";
    AboutGhost = "Solo: your best game flies beside you", "En solo, votre meilleure partie vole avec vous";
    AboutCaptions = "Shows sounds as text", "Affiche les sons sous forme de texte";
    AboutControlHints = "Shows the controls at your ship, at first", "Affiche les commandes, le temps d’apprendre";
    AboutQueue = "Adds a short delay for smoother motion", "Un léger retard, pour plus de fluidité";
    AboutLanguage = "The language of all screens", "La langue de tous les écrans";
    AboutKeys = "Choose a key for each action", "Choisit une touche pour chaque action";
    AboutResetKeys = "Puts every key back to its default", "Rétablit toutes les touches par défaut";
    AboutKey = "Confirm, then press the new key", "Validez, puis appuyez sur la nouvelle touche";
    AboutStage = "The stage to play", "Le niveau à jouer";
    AboutRespawn = "With others: where a lost ship returns", "À plusieurs : où revient un vaisseau perdu";
    AboutFriendlyFire = "Whether shots hurt other players", "Les tirs blessent aussi les autres joueurs";
    AboutLives = "Ships at the start", "Vaisseaux au départ";
    AboutVisibility = "Private lobbies are joined by code only", "Un salon privé se rejoint par son code";
    AboutCreate = "Opens the lobby and waits for others", "Ouvre le salon et attend les autres";
    AboutStart = "Starts the game for everybody", "Lance la partie pour tous";
    AboutReady = "The game starts when everybody is ready", "La partie commence quand tous sont prêts";
    AboutShare = "Shows the link and the code that others need", "Affiche le lien et le code pour vous rejoindre";
    AboutChat = "Say something to everybody here", "Envoie un message à tous ici";
    AboutLeave = "Back to the title", "Retour à l’écran titre";
    AboutResume = "Back to the game", "Retour au jeu";
    AboutPlayAgain = "Tries again right away", "Nouvel essai, tout de suite";
    AboutRestart = "Abandons this game and starts again", "Abandonne cette partie et la recommence";
    AboutRestartEasy = "A new game with more lives and fewer enemies", "Avec plus de vies et moins d’ennemis";
    AboutFullScreen = "Fills the screen, or goes back to the window", "Remplit l’écran, ou revient à la fenêtre";
    AboutAnyGame = "Joins a game that has a free seat", "Rejoint une partie qui a une place libre";
    AboutCreateLobby = "A lobby with a stage and rules you choose", "Un salon avec le niveau et les règles voulus";
    AboutJoinByCode = "Type the code that a friend gave you", "Tapez le code reçu d’un ami";
    AboutRefresh = "Asks the server for the list again", "Actualise la liste des salons";
    AboutLobby = "Confirm to join; right arrow to watch", "Valider : rejoindre ; flèche droite : regarder";
    AboutLobbyTouch = "Tap to join; tap at the right to watch", "Touchez pour jouer, à droite pour regarder";
    AboutFullLobby = "No seat is free: confirm to watch", "Aucune place libre : valider pour regarder";
    AboutFullLobbyTouch = "No seat is free: tap to watch", "Aucune place libre : touchez pour regarder";

    // Ships and difficulty.
    ChooseShip = "Ship and difficulty", "Vaisseau et difficulté";
    Difficulty = "Difficulty", "Difficulté";
    Easy = "easy", "facile";
    Normal = "normal", "normal";
    Hard = "hard", "difficile";
    LivesCount = "{} lives", "{} vies";
    Speed = "Speed", "Vitesse";
    Charge = "Charge", "Charge";
    Beam = "Beam", "Rayon";
    ShipArrow = "Arrow", "Flèche";
    ShipWasp = "Wasp", "Guêpe";
    ShipAnvil = "Anvil", "Enclume";
    ShipLynx = "Lynx", "Lynx";
    AboutArrow = "Good at everything", "Polyvalent";
    AboutWasp = "The fastest; its beam is weaker and slower", "Le plus rapide ; rayon plus faible et plus lent";
    AboutAnvil = "Slow, with the strongest beam", "Lent, avec le rayon le plus puissant";
    AboutLynx = "Charges fastest, with the weakest beam", "Charge le plus vite, rayon le plus faible";

    // The game of the day.
    EnterToPlay = "{}: play", "{} : jouer";
    TapToPlay = "Tap: play", "Touchez : jouer";
    Swarm = "Swarm", "Essaim";
    AboutSwarm = "Half as many enemies again, each with half the health.", "Une fois et demie plus d’ennemis, deux fois moins résistants.";
    Haste = "Haste", "Hâte";
    AboutHaste = "Enemies and their shots are a third faster.", "Ennemis et tirs vont un tiers plus vite.";
    Glass = "Glass", "Verre";
    AboutGlass = "Your shots do twice the damage, and you have one life.", "Vos tirs font deux fois plus de dégâts ; une seule vie.";
    Forceless = "Forceless", "Sans Force";
    AboutForceless = "There is no Force: carriers bring missiles, Bits and speed.", "Pas de Force : missiles, Bits et vitesse à la place.";
    Overcharge = "Overcharge", "Surcharge";
    AboutOvercharge = "Beams charge twice as fast; plain shots do half the damage.", "Charge deux fois plus rapide ; tirs simples moitié moins forts.";
    Revenge = "Revenge", "Vengeance";
    AboutRevenge = "Enemies that you shoot down fire a last shot at you.", "Un ennemi abattu tire une dernière fois sur vous.";

    // Practice.
    StartPractice = "Start", "Commencer";
    AboutStartPractice = "Starts here, as often as you like", "Commence ici, autant de fois que vous voulez";
    AboutPracticeStage = "Stages you have reached", "Les niveaux déjà atteints";
    Checkpoint = "From", "Depuis";
    AboutCheckpoint = "Checkpoints and bosses you have reached", "Points de contrôle et boss déjà atteints";
    Beginning = "the beginning", "le début";
    BossNamed = "boss: {}", "boss : {}";
    AboutDifficulty = "How many enemies, how fast, and your lives", "Combien d’ennemis, leur vitesse, et vos vies";
    AboutPracticeShip = "The ship that you fly", "Le vaisseau que vous pilotez";
    ForceLevel = "Force", "Force";
    AboutForceLevel = "The level of the Force at the start", "Le niveau de la Force au départ";
    NoneChosen = "none", "aucune";
    Crystal = "Crystal", "Cristal";
    AboutCrystal = "The laser of a Force of level 2 or more", "Le laser d’une Force de niveau 2 ou plus";
    Red = "red: straight", "rouge : tout droit";
    Blue = "blue: reflects", "bleu : rebondit";
    Yellow = "yellow: crawls", "jaune : rampe";
    Missiles = "Missiles", "Missiles";
    AboutMissiles = "They find enemies by themselves", "Ils trouvent les ennemis tout seuls";
    Bits = "Bits", "Bits";
    AboutBits = "They stop shots above and below the ship", "Ils arrêtent les tirs au-dessus et au-dessous";
    SpeedUps = "Speed-ups", "Accélérations";
    AboutSpeedUps = "How much faster the ship is at the start", "La vitesse supplémentaire au départ";

    // The tables.
    Table = "Table", "Tableau";
    AboutTable = "Stages, Endless, or the game of a day", "Un niveau, le mode sans fin ou un défi du jour";
    AboutTableDifficulty = "The difficulty that was played", "La difficulté jouée";
    Day = "Day (UTC)", "Jour (UTC)";
    AboutDay = "Today, or an earlier day", "Aujourd’hui, ou un jour passé";
    AboutPlayers = "How many played together", "Combien ont joué ensemble";
    Today = "today", "aujourd’hui";
    NoName = "(no name)", "(sans pseudo)";
    TableUnavailable = "The table is not available right now", "Le tableau n’est pas disponible pour l’instant";

    // The tally.
    Rank = "Rank", "Rang";
    Kills = "Kills", "Abattus";
    BestChain = "Best chain", "Meilleure chaîne";
    Chain = "Chain", "Chaîne";
    Lost = "Lost", "Pertes";
    TimePlayed = "Time", "Temps";
    WaveNumber = "Wave {}", "Vague {}";
    NotScored = "This game does not count for the tables.", "Cette partie ne compte pas pour les tableaux.";
    NotScoredPractice = "Practice does not count for the tables.", "L’entraînement ne compte pas pour les tableaux.";
    NotScoredBots = "With a bot in it, this game does not count for the tables.", "Avec un bot, cette partie ne compte pas pour les tableaux.";
    NotScoredSlow = "Played in slow mode, this game does not count for the tables.", "Jouée au ralenti, cette partie ne compte pas pour les tableaux.";
    NotScoredLives = "With extra lives at the start, this game does not count for the tables.", "Avec des vies en plus, cette partie ne compte pas pour les tableaux.";
    TurnToTable = "table", "tableau";
    TurnToTally = "tally", "bilan";
    WatchReplay = "replay", "revoir";
    SaveReplay = "save", "garder";
    ReplaySaved = "The replay is saved", "La rediffusion est enregistrée";
    ReplayNotSaved = "The replay cannot be saved", "La rediffusion ne peut pas être enregistrée";
    AboutRecordedGame = "Confirm to watch this game", "Validez pour revoir cette partie";
    AboutRecordedGameTouch = "Tap to watch this game", "Touchez pour revoir cette partie";
    AboutUnrecordedGame = "There is no replay of this game", "Cette partie n’a pas été enregistrée";
    ReplayPause = "pause", "pause";
    ReplaySpeed = "speed", "vitesse";
    ReplayMoment = "moment", "moment";
    ReplayFollow = "player", "joueur";
    ReplayClose = "close", "fermer";
    ReplayDiffers = "The replay is damaged", "La rediffusion est endommagée";
    NextStageSoon = "The next stage begins in a moment.", "Le niveau suivant commence dans un instant.";
    CampaignClear = "CAMPAIGN CLEAR", "CAMPAGNE TERMINÉE";
    NextRoundSoon = "The last dreadnought is gone. Once more, and harder!", "Le dernier cuirassé n’est plus. On recommence, en plus dur !";
    PracticeAgain = "Starting again from the same place…", "Nouvel essai depuis le même endroit…";

    // How to play.
    HowToPlay = "How to play", "Comment jouer";
    AboutHowToPlay = "What to press, and what the letters mean", "Les commandes, et le sens des lettres";
    RuleTerrain = "Walls, enemies and their shots destroy your ship.", "Parois, ennemis et tirs détruisent votre vaisseau.";
    RuleForce = "The Force stops shots, and nothing destroys it.", "La Force arrête les tirs, et rien ne la détruit.";
    RuleChain = "Keep shooting enemies down for up to 5 times the points.", "Enchaînez les ennemis : jusqu’à 5 fois plus de points.";
    RuleRank = "Rank: what you shot down, your best chain, ships lost.", "Rang : ennemis abattus, meilleure chaîne, pertes.";
    TooHard = "Too hard? The menu has an easier game.", "Trop dur ? Le menu propose une partie plus facile.";
    TooHardElsewhere = "Too hard? Choose easy under Ship, on the title screen.", "Trop dur ? Choisissez « facile » dans Vaisseau, à l’écran titre.";
    RuleGestures = "With others: keys 1 to 6 are quick chat.", "À plusieurs : messages rapides, touches 1 à 6.";
    RuleGesturesInMenu = "With others: the menu has quick chat.", "À plusieurs : messages rapides dans le menu.";
    RuleItems = "Carriers bring the Force, lasers, missiles and speed.", "Les porteurs apportent Force, lasers, missiles, vitesse.";
    ItemRed = "Laser: straight", "Laser : tout droit";
    ItemBlue = "Laser: reflects", "Laser : rebondit";
    ItemYellow = "Laser: crawls", "Laser : rampe";

    // Credits.
    CreditsGame = "VOLLEY", "VOLLEY";
    CreditsAuthors = "By the authors of Volley", "Par les auteurs de Volley";
    CreditsOwn = "Art, music and code: all our own", "Images, musique et code : tout est de nous";
    CreditsFather = "WITH THANKS", "MERCI";
    CreditsThanks = "to R-Type (1987), father of them all", "à R-Type (1987), leur père à tous";
    CreditsLicence = "FREE SOFTWARE", "LOGICIEL LIBRE";
    CreditsRust = "MIT or Apache 2.0, written in Rust", "MIT ou Apache 2.0, écrit en Rust";

    // Options.
    Music = "Music", "Musique";
    Sound = "Sound effects", "Effets sonores";
    Shake = "Screen shake", "Tremblements d’écran";
    Flashes = "Flashes", "Flashs";
    ColourBlindMode = "Colour-blind mode", "Mode daltonien";
    PaletteDefault = "off", "non";
    PaletteRedGreen = "red-green", "rouge-vert";
    PaletteBlueYellow = "blue-yellow", "bleu-jaune";
    TextSize = "Text size", "Taille du texte";
    TextNormal = "normal", "normale";
    TextLarge = "large", "grande";
    PictureSize = "Picture size", "Taille de l’image";
    ScalingAuto = "automatic", "automatique";
    ScalingWhole = "sharp pixels", "pixels nets";
    ScalingFill = "fill the window", "remplir la fenêtre";
    OneButton = "One-button mode", "Mode à un bouton";
    SlowMode = "Slow mode (solo)", "Mode lent (solo)";
    Captions = "Captions", "Sous-titres";
    Ghost = "Ghost", "Fantôme";
    ControlHints = "Control hints", "Aide aux commandes";
    Queue = "Smooth out lag", "Lisser la latence";
    Language = "Language", "Langue";
    ThisLanguage = "English", "Français";
    On = "on", "oui";
    Off = "off", "non";

    // Key bindings.
    Keys = "Key bindings", "Touches";
    PressAKey = "press a key", "appuyez sur une touche";
    PressNewKey = "Press the new key", "Appuyez sur la nouvelle touche";
    KeyLeft = "Left", "Gauche";
    KeyRight = "Right", "Droite";
    KeyUp = "Up", "Haut";
    KeyDown = "Down", "Bas";
    KeyFire = "Fire", "Tir";
    KeyForce = "Force", "Force";
    KeyPause = "Menu", "Menu";
    KeyGraph = "Network graph", "Graphique réseau";
    KeyChat = "Chat", "Discussion";
    KeyScoreboard = "Players (hold)", "Joueurs (maintenir)";
    FullScreen = "Full screen", "Plein écran";
    SpaceKey = "Space", "Espace";
    EnterKey = "Enter", "Entrée";
    EscapeKey = "Esc", "Échap";
    ResetKeys = "Reset to defaults", "Rétablir par défaut";

    // A new lobby.
    Stage = "Stage", "Niveau";
    Endless = "Endless", "Sans fin";
    Respawn = "Respawn", "Réapparition";
    RespawnInPlace = "in place", "sur place";
    RespawnAtCheckpoint = "at checkpoint", "au point de contrôle";
    FriendlyFire = "Friendly fire", "Tir allié";
    Lives = "Lives", "Vies";
    Visibility = "Visibility", "Visibilité";
    Public = "public", "public";
    Private = "private", "privé";
    CreateNow = "Create", "Créer";

    // The list of lobbies.
    AnyGame = "Join any game", "Rejoindre une partie";
    Refresh = "Refresh", "Actualiser";
    NoLobbies = "No open lobbies. Create one!", "Aucun salon ouvert. Créez-en un !";
    Waiting = "waiting", "en attente";
    Watch = "watch", "regarder";
    Join = "join", "jouer";

    // A lobby that waits for its game.
    Lobby = "Lobby", "Salon";
    Ready = "Ready", "Prêt";
    NotReady = "Not ready", "Pas prêt";
    Start = "Start the game", "Lancer la partie";
    Share = "Invite others", "Inviter des amis";
    Leave = "Leave", "Quitter";
    ReallyLeave = "Really leave?", "Vraiment quitter ?";
    AboutLeaveAsHost = "Another player becomes the host", "Un autre joueur devient l’hôte";
    Away = "away", "absent";
    OneWatcher = "1 watching", "1 spectateur";
    Watchers = "watching", "spectateurs";
    You = "you", "vous";
    CodeCopied = "Copied to the clipboard", "Copié dans le presse-papiers";
    CodeNotCopied = "No clipboard: the code is in the window's title", "Pas de presse-papiers : le code est dans le titre";
    FreeSeat = "open seat", "place libre";

    // Gestures.
    Gestures = "Quick chat", "Messages rapides";
    AboutGestures = "Shows a short message beside your ship", "Affiche un mot près de votre vaisseau";
    EmoteHello = "Hello!", "Salut !";
    EmoteThanks = "Thank you!", "Merci !";
    EmoteWellDone = "Well done!", "Bien joué !";
    EmoteHelp = "Help!", "À l’aide !";
    EmoteSorry = "Sorry!", "Désolé !";
    EmoteFollowMe = "Follow me!", "Suivez-moi !";

    // What a new player is shown at the ship.
    LessonFly = "fly", "voler";
    LessonFire = "fire", "tirer";
    LessonCharge = "hold, then let go: beam", "maintenir, puis lâcher : rayon";
    LessonTake = "fly into it", "à attraper";
    LessonForce = "launch the Force, call it back", "lancer la Force, la rappeler";
    LessonDock = "to dock in front: launch it, fly behind it", "pour la fixer à l’avant : la lancer, passer derrière";

    // Over the game.
    Paused = "Paused", "Pause";
    PressToResume = "Paused. Press any key.", "Pause. Appuyez sur une touche.";
    PressButtonToResume = "Paused. Press any button.", "Pause. Appuyez sur un bouton.";
    TapToResume = "Paused. Tap to go on.", "Pause. Touchez pour continuer.";
    GameWaits = "The game waits for you.", "La partie vous attend.";
    GameGoesOn = "The game goes on behind this menu.", "La partie continue derrière ce menu.";
    Resume = "Resume", "Reprendre";
    PlayAgain = "Play again", "Rejouer";
    Restart = "Restart", "Recommencer";
    RestartEasy = "Play on easy", "Jouer en facile";
    GameOver = "GAME OVER", "PARTIE TERMINÉE";
    GameIsOver = "Game over", "Partie terminée";
    StageClear = "STAGE CLEAR", "NIVEAU TERMINÉ";
    ContinuesSoon = "The game continues in a moment.", "La partie continue dans un instant.";
    YourName = "Your name for the table", "Votre pseudo pour le tableau";
    YourNameHow = "Type it, or choose letters with the arrows", "Tapez-le, ou choisissez avec les flèches";
    YourNameKeys = "{}: save   {}: no name", "{} : enregistrer   {} : sans pseudo";
    YourNameTouch = "Tap here, then type it", "Touchez ici, puis tapez-le";
    Retry = "play again", "rejouer";
    NewGameSoon = "A new game starts in a moment.", "Une nouvelle partie va commencer.";
    Watching = "You are watching", "Vous êtes spectateur";
    Eliminated = "YOU WERE ELIMINATED", "VOUS ÊTES ÉLIMINÉ";
    WatchUntilNextGame = "You are watching. You play again in the next game.", "Vous êtes spectateur jusqu’à la prochaine partie.";
    MayReturn = "If you have lives left, your ship is coming back.", "S’il vous reste des vies, votre vaisseau revient.";
    EliminatedWatching = "Eliminated", "Éliminé";
    Respawning = "Your ship is coming back…", "Le vaisseau revient…";
    Players = "Players", "Joueurs";
    PlayerCount = "{} players", "{} joueurs";
    PlayerCountShort = "{}P", "{}J";
    ShipsLost = "Ships lost", "Pertes";
    Score = "Score", "Score";
    Out = "out", "éliminé";
    NoScores = "No scores yet: first place is yours to take", "Aucun score : la première place est à prendre";
    NoScoresYet = "No scores yet", "Aucun score";

    // The feed. The name of a player stands for the braces.
    FeedJoined = "Player {} joined", "{} a rejoint la partie";
    FeedLeft = "Player {} left", "{} a quitté la partie";
    FeedTimedOut = "Player {} timed out", "{} ne répond plus";
    FeedEliminated = "Player {} was eliminated", "{} est hors jeu";
    FeedShipLost = "Player {} was eliminated", "{} a perdu un vaisseau";
    FeedExtraLife = "Player {} got an extra life", "{} gagne une vie";
    FeedOwnExtraLife = "Extra life", "Vie supplémentaire";
    FeedByPlayer = "by {}", "par {}";
    FeedSalvager = "Salvager destroyed", "Ferrailleur détruit";
    FeedKeeper = "Keeper destroyed", "Gardien détruit";
    FeedBrood = "Brood destroyed", "Couvée détruite";
    FeedMatriarch = "Matriarch destroyed", "Matriarche détruite";
    FeedGatehouse = "Gatehouse destroyed", "Poterne détruite";
    FeedHeart = "Heart destroyed", "Cœur détruit";
    CauseWall = "a wall", "une paroi";
    CauseEnemy = "an enemy", "un ennemi";
    CauseRock = "a rock", "un rocher";
    CauseShot = "a shot", "un tir";
    CauseBomb = "a bomb", "une bombe";
    CauseLance = "a lance", "une lance";
    CauseDrone = "a drone", "un drone";
    CauseDart = "a dart", "un dard";
    CauseWalker = "a walker", "un marcheur";
    CauseClinger = "a clinger", "un agrippeur";
    CauseTurret = "a turret", "une tourelle";
    CauseSeeker = "a seeker", "un traqueur";
    CauseChaser = "a chaser", "un poursuivant";
    CauseSplitter = "a splitter", "un scindeur";
    CauseShard = "a shard", "un éclat";
    CauseWarden = "a warden", "un protecteur";
    CauseHive = "a hive", "une ruche";
    CauseLarva = "a larva", "une larve";
    CauseCarrier = "a carrier", "un porteur";
    CauseGunship = "a gunship", "une canonnière";
    CauseMine = "a mine", "une mine";
    CauseBomber = "a bomber", "un bombardier";
    CauseSentry = "a sentry", "une sentinelle";
    CauseSpore = "a spore", "une spore";
    CauseLeech = "a leech", "une sangsue";
    CausePolyp = "a polyp", "un polype";
    CauseMite = "a mite", "un acarien";
    CauseLancer = "a lancer", "un lancier";
    CauseHatch = "a hatch", "une trappe";
    CauseRover = "a rover", "un patrouilleur";
    CauseGrinder = "the grinder", "le broyeur";
    CauseSalvager = "the Salvager", "le Ferrailleur";
    CauseKeeper = "the Keeper", "le Gardien";
    CauseBrood = "the Brood", "la Couvée";
    CauseMatriarch = "the Matriarch", "la Matriarche";
    CauseGatehouse = "the Gatehouse", "la Poterne";
    CauseHeart = "the Heart", "le Cœur";
    LostTo = "Lost to {}.", "Détruit par {}.";

    // What went wrong.
    RestartTitle = "THE SERVER IS RESTARTING", "LE SERVEUR REDÉMARRE";
    LostTitle = "CONNECTION LOST", "CONNEXION PERDUE";
    Reconnecting = "Reconnecting…", "Reconnexion…";
    ReconnectingToSeat = "Reconnecting… Your seat is kept for a minute.", "Reconnexion… Votre place est gardée une minute.";
    GameStopped = "The game has stopped: please restart it", "Le jeu s’est arrêté : relancez-le";
    NoAnswerTitle = "NO ANSWER", "PAS DE RÉPONSE";
    NoAnswer = "The server may be down or full. Trying again…", "Serveur arrêté ou complet ? Nouvel essai…";
    EndRefused = "The server refused the connection", "Le serveur a refusé la connexion";
    EndFull = "Server Full: try again later", "Serveur complet : réessayez plus tard";
    EndDropped = "The server ended your session: you timed out, or it is restarting",
        "Le serveur a mis fin à la session : délai dépassé, ou il redémarre";
    EndKicked = "You were removed from the game", "Vous avez été exclu de la partie";
    EndNoStage = "No lobby: the server is full or does not have this stage", "Pas de salon : niveau inconnu du serveur, ou serveur complet";
    EndLobbyClosed = "The lobby is closed", "Le salon est fermé";
    LobbyFull = "This lobby is full", "Ce salon est complet";
    OnlyTheHost = "Only the host can do that", "Seul l’hôte peut faire cela";
    KickedLately = "You were removed a moment ago", "Vous venez d’être exclu";
    NoMoreBots = "No room for another bot", "Pas de place pour un autre bot";
    AddBot = "Add a bot", "Ajouter un bot";
    AddBotShort = "Add a bot", "Ajouter bot";
    RemoveBot = "Remove {}", "Retirer {}";
    Kick = "Kick {}", "Exclure {}";
    ReallyKick = "Really kick {}?", "Vraiment exclure {} ?";
    SkillEasy = "easy", "facile";
    SkillNormal = "normal", "moyen";
    SkillGood = "good", "fort";
    BotOf = "{} bot", "bot {}";
    HostNamed = "Host: {}", "Hôte : {}";
    Campaign = "Campaign", "Campagne";
    Playing = "playing", "en jeu";
    Over = "over", "terminé";
    AboutLobbyShip = "← → The ship that you fly", "← → Le vaisseau que vous pilotez";
    AboutAddBot = "← → Its skill. Gives up its seat to a player", "← → Son niveau. Laisse sa place à un joueur";
    AboutAddBotInGame = "← → How well it plays. No score with bots", "← → Son niveau. Avec un bot, pas de score";
    AboutAddBotTouch = "Tap the skill at the right to change it", "Touchez le niveau à droite pour le changer";
    AboutLobbyShipTouch = "Tap for the next ship", "Touchez pour le vaisseau suivant";
    ChangesOnResume = "New players join when you resume.", "Les nouveaux arrivent à la reprise.";
    HostMenu = "Bots and players", "Bots et joueurs";
    AboutHostMenu = "Add bots or remove them, or kick a player", "Ajoute ou retire des bots, exclut un joueur";
    AboutRemoveBot = "Frees the seat of this bot", "Libère la place de ce bot";
    AboutKick = "Removes this player for at least a minute", "Exclut ce joueur, pour une minute au moins";
    ShareTitle = "Invite others", "Inviter des amis";
    ShareHow = "Open the link in a browser, or point a phone’s camera at the code.", "Ouvrez le lien dans un navigateur, ou visez le code avec un téléphone.";
    ShareCodeHow = "Others join with this code.", "Les autres rejoignent avec ce code.";
    ShareOnlyHere = "Only this machine can open this link.", "Seule cette machine peut ouvrir ce lien.";
    ShareBind = "Start the server with --bind\u{a0}0.0.0.0", "Lancez le serveur avec --bind\u{a0}0.0.0.0";
    ShareAddress = "and send this machine’s network address.", "et envoyez l’adresse réseau du serveur.";
    ShareClose = "{} or {}: close", "{} ou {} : fermer";
    ShareCloseTouch = "Tap to close", "Touchez pour fermer";
    NoSuchLobby = "This lobby does not exist", "Ce salon n’existe pas";
    NoSuchStage = "This stage does not exist", "Ce niveau n’existe pas";
    ServerFull = "The server is full", "Le serveur est complet";
    SeatGone = "Your seat is no longer kept", "Votre place n’est plus gardée";
    TooFast = "Too many requests: wait a moment", "Trop de demandes : patientez un instant";
    NotNow = "Not possible right now", "Impossible pour le moment";
    NextGameSoon = "The game is over; the next one begins soon", "Partie terminée ; la suivante commence bientôt";
    VersionDiffers = "Client and server versions differ: update or reload", "Versions incompatibles : mettez à jour ou rechargez";

    // What is wrong with the server.
    BadInitialisationTitle = "CANNOT UNDERSTAND THIS SERVER", "SERVEUR INCOMPRÉHENSIBLE";
    BadInitialisation = "Initialisation:", "Initialisation :";
    FaultCount = "the number of components does not match", "le nombre de composants ne correspond pas";
    FaultPadding = "a name is empty, or not padded with zeros", "un nom est vide ou mal complété par des zéros";
    FaultCharacters = "a name has a character that is not allowed", "un nom contient un caractère interdit";
    FaultEndMark = "the end mark ff ff is missing", "la marque de fin ff ff manque";
    FaultMissingPart = "a part is missing", "il manque une partie";
    UnknownComponents = "Unknown components (ignored)", "Composants inconnus (ignorés)";
    AndMore = "more", "autres";

    // What the keys do, at the foot.
    HintSelect = "select", "choisir";
    HintAccept = "confirm", "valider";
    HintEnterOrSpace = "Enter or Space", "Entrée ou Espace";
    HintBack = "back", "retour";
    HintShip = "ship", "vaisseau";
    HintDifficulty = "difficulty", "difficulté";
    HintMenu = "{}: menu", "{} : menu";

    // Captions.
    CaptionBeam = "[beam]", "[rayon]";
    CaptionExplosion = "[explosion]", "[explosion]";
    CaptionChargeFull = "[beam ready]", "[rayon prêt]";
    CaptionLance = "[heavy fire]", "[tir lourd]";
    CaptionNearMiss = "[close call]", "[de justesse]";
    CaptionBossPhase = "[the boss changes its attack]", "[le boss change d’attaque]";
    CaptionCoreOpens = "[weak point open]", "[point faible ouvert]";
    CaptionCoreCloses = "[weak point closed]", "[point faible fermé]";
    CaptionPartBreaks = "[a part breaks off]", "[une pièce se brise]";
    CaptionBossDestroyed = "[boss destroyed]", "[boss détruit]";
    CaptionGate = "[a gate moves]", "[une porte bouge]";
    CaptionItemRed = "[red crystal]", "[cristal rouge]";
    CaptionItemBlue = "[blue crystal]", "[cristal bleu]";
    CaptionItemYellow = "[yellow crystal]", "[cristal jaune]";
    CaptionItemMissiles = "[missiles]", "[missiles]";
    CaptionItemBit = "[Bit]", "[Bit]";
    CaptionItemSpeed = "[speed-up]", "[accélération]";
    CaptionForceDock = "[Force docked]", "[Force arrimée]";
    CaptionForceLaunch = "[Force launched]", "[Force lancée]";
    CaptionForceRecall = "[Force called back]", "[Force rappelée]";
    CaptionAllyLost = "[ally lost]", "[allié perdu]";
    CaptionReturn = "[new ship]", "[nouveau vaisseau]";
    CaptionChainUp = "[chain grows]", "[la chaîne grandit]";
    CaptionChainLost = "[chain lost]", "[chaîne perdue]";
    CaptionCheckpoint = "[checkpoint]", "[point de contrôle]";
    CaptionWave = "[next wave]", "[vague suivante]";
    CaptionStageClear = "[fanfare]", "[fanfare]";
    CaptionDeath = "[ship destroyed]", "[vaisseau détruit]";
    CaptionExtraLife = "[extra life]", "[vie supplémentaire]";
    Warning = "WARNING", "ALERTE";
    FromBehind = "FROM BEHIND", "PAR DERRIÈRE";
    StageNumber = "STAGE {}", "NIVEAU {}";
    RoundNumber = "ROUND {}", "BOUCLE {}";
    StageSilentFleet = "The Silent Fleet", "La flotte silencieuse";
    StageSwallowedDeep = "The Swallowed Deep", "Les profondeurs englouties";
    StageLastDreadnought = "The Last Dreadnought", "Le dernier cuirassé";
    BossSalvager = "THE SALVAGER", "LE FERRAILLEUR";
    BossKeeper = "THE KEEPER", "LE GARDIEN";
    BossBrood = "THE BROOD", "LA COUVÉE";
    BossMatriarch = "THE MATRIARCH", "LA MATRIARCHE";
    BossGatehouse = "THE GATEHOUSE", "LA POTERNE";
    BossHeart = "THE HEART", "LE CŒUR";
    CaptionWarning = "[warning]", "[alerte]";
    CaptionCharge = "[beam charging]", "[rayon en charge]";

    // The network graph.
    GraphRoundTrip = "round trip", "aller-retour";
    GraphLoss = "loss", "pertes";
    GraphFrameAge = "frame age", "âge de l’image";
    GraphCorrection = "correction", "correction";
    GraphBytes = "kB/s", "ko/s";
    GraphClock = "clock {} %", "horloge {} %";
    GraphDelay = "others: {} ms late", "autres : +{} ms";
}

#[cfg(test)]
mod tests;
